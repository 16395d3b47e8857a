"""Parting blow: whoever breaks away may be struck out of turn, by anybody who has delay or energy left for it (nyra).

The game master gives the condition `breaking-away`, and ends it. A form of the system's own action is all that is needed; what it
costs and whether it is allowed says the system.
"""

from __future__ import annotations

from collections.abc import Iterable

from affray.kernel import Fight, Form, hookimpl

BREAKING_AWAY = "breaking-away"


class PartingBlow:
    """Whoever has the condition breaking-away may be struck out of turn."""

    title = "Parting blow"
    release = "1"
    systems = ("nyra",)

    @hookimpl
    def actions(self, fight: Fight, who: str) -> Iterable[Form]:
        """Offer a strike out of turn."""
        leaving = tuple([one for one in fight.ids if one != who and fight.has(one, BREAKING_AWAY)])
        arms = fight.sheet(who).arms
        if fight.state.turn in ("", who) or not leaving or not arms:
            return []
        choices = {
            "weapon": tuple([arm.key for arm in arms]),
            "strike": ("wild",),
            "type": tuple(dict.fromkeys([kind for arm in arms for kind in arm.types])),
            "aim": (None,),
        }
        return [Form(name="strike", targets=leaving, least=1, most=1, choices=choices)]
