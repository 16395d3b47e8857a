"""The rules systems that come with Affray pass the published check; what is exempt is listed, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import msgspec
import pytest

from affray.kernel.testing import Exempt, check_rules
from affray.sessions.cli.demo import read_demos

DEMOS = read_demos()


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A system as a demo plays it, parameters that no form offers, and what it is exempt from."""

    system: str
    demo: str
    actions: Mapping[str, Sequence[Mapping[str, Any]]] = {}
    exempt: tuple[Exempt, ...] = ()
    fights: int = 3
    processes: bool = True


BLADE, SWORD = {"weapon": "long-blade"}, {"weapon": "short-sword"}

CASES = {
    "nyra": Case(system="nyra", demo="duel"),
    "nyra, bank": Case(system="nyra", demo="nyra-bank", processes=False),
    "exalted": Case(
        system="exalted",
        demo="exalted",
        actions={
            "flurry": [{"attacks": [BLADE, BLADE]}, {"attacks": [SWORD, SWORD]}, {"attacks": [SWORD], "also": ["dash"]}],
            "coordinate": [{"helpers": ["cy"]}, {"helpers": ["ann"]}],
        },
    ),
    "primer": Case(
        system="primer",
        demo="primer",
        processes=False,
    ),
}
"""What is checked. A finding that a system has for good reason stands here with the reason; there should be few."""


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_wrong_with_a_system_that_comes_with_affray(name: str) -> None:
    """Laws 3 to 11, as the kit holds every plugin to them."""
    case = CASES[name]
    if find_spec(f"affray.plugins.{case.system}") is None or case.demo not in DEMOS:
        return
    demo = DEMOS[case.demo]
    report = check_rules(
        case.system,
        sheets=[one.sheet for one in demo.combatants],
        actions=case.actions,
        options=demo.options,
        bundle=demo.bundle,
        exempt=case.exempt,
        fights=case.fights,
        processes=case.processes,
    )
    report.assert_clean()
    assert report.events > 500, report
