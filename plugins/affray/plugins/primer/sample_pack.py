"""A small data pack of ours, so that a fight can be played: nothing in it comes from the source, which has no such data.

It is the bundle `sample-pack` of the system. The file `sample-pack.toml` beside this module holds the same, in the form that a table
uses for its own.
"""

from __future__ import annotations

from collections.abc import Mapping

from affray.kernel import Json

SAMPLE_PACK: dict[str, Json] = {
    "title": "Affray's own sample data; not the source's",
    "areas": [
        {"area": "head", "positions": [[1, 10]], "knockback": "head", "htk_share": "1/2"},
        {"area": "upper-body", "positions": [[11, 39]], "htk_share": "3/4"},
        {"area": "arms", "positions": [[40, 51]], "htk_share": "2/5"},
        {"area": "hands", "positions": [[52, 53]], "htk_share": "1/4"},
        {"area": "lower-body", "positions": [[54, 81]], "htk_share": "3/4"},
        {"area": "upper-legs", "positions": [[82, 94]], "htk_share": "1/2"},
        {"area": "lower-legs", "positions": [[95, 98]], "knockback": "lower-leg", "htk_share": "2/5"},
        {"area": "feet", "positions": [[99, 100]], "htk_share": "1/4"},
    ],
    "weapons": {
        "great-sword": {"dice": "2d10", "plus": 4, "types": ["chopping", "slicing"], "wsd": 14},
        "long-sword": {"dice": "2d8", "plus": 3, "types": ["slicing", "chopping", "piercing"], "wsd": 10},
        "short-sword": {"dice": "2d6", "plus": 2, "types": ["slicing", "piercing"], "wsd": 7},
        "club": {"dice": "2d6", "plus": 4, "types": ["crushing"], "wsd": 9},
        "spear": {"dice": "2d6", "plus": 4, "types": ["piercing"], "wsd": 8},
        "fist": {"dice": "1d4", "types": ["crushing"], "wsd": 4},
        "bow": {"dice": "2d6", "plus": 5, "types": ["projectile"], "wsd": 10},
        "fire-bolt": {"dice": "3d6", "types": ["energy"], "wsd": 10, "against": "MDF", "hurts": "HTK"},
    },
    "critical_misses": [
        {"upto": 50, "code": "loses-footing"},
        {"upto": 90, "code": "drops-the-weapon"},
        {"upto": 130, "code": "strikes-a-friend"},
        {"code": "breaks-the-weapon"},
    ],
    "crippling": [
        {"code": "deep-cut", "grade": "minor", "types": ["slicing", "chopping", "ripping"], "action": -5},
        {
            "code": "severed-sinews",
            "grade": "major",
            "sl": -1,
            "types": ["slicing", "chopping", "ripping"],
            "action": -20,
        },
        {"code": "pierced-through", "grade": "minor", "types": ["piercing", "projectile"], "action": -5},
        {
            "code": "lodged-point",
            "grade": "major",
            "sl": -1,
            "types": ["piercing", "projectile"],
            "action": -15,
        },
        {
            "code": "bad-bruise",
            "grade": "minor",
            "types": ["crushing", "explosion", "energy"],
            "action": -5,
        },
        {
            "code": "broken-bone",
            "grade": "major",
            "sl": -1,
            "types": ["crushing", "explosion", "energy"],
            "action": -20,
        },
    ],
    "wounds": [
        {"quarters": 1, "action": -5},
        {"quarters": 2, "action": -10},
        {"quarters": 3, "action": -20},
        {"quarters": 4, "action": -30},
    ],
    "htk": {"times": {"CON": 1, "STR": "1/2", "BLD": 1}},
    "pow": {"times": {"AUR": 1, "DRV": 1, "DSC": "1/2"}},
    "unfamiliar": -25,
}
"""The pack as options have it."""

BUNDLES: Mapping[str, dict[str, Json]] = {"sample-pack": {"pack": SAMPLE_PACK}}
"""Bundles of the system's options."""
