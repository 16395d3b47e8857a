"""Which check of the kit finds which faulty plugin: `FAULTS`, by the code of the check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from affray.kernel import UPCASTERS, Upcasters
from affray.kernel.testing import Exempt, Report, check_house_rule, check_rules

from .faulty import (
    OLD,
    Armours,
    Beginless,
    Bleeds,
    Counts,
    CountsForAll,
    Derives,
    Finally,
    GoesByItsOwn,
    Halves,
    Idle,
    Inner,
    Leaving,
    Lists,
    LooksWhereItLies,
    Loose,
    Measured,
    Meddles,
    Misspelt,
    Mute,
    OwnChance,
    Picky,
    Places,
    Raising,
    ReadsClock,
    ReadsDate,
    ReadsFile,
    RemembersAnswers,
    Rolls,
    RollsForShow,
    Sentence,
    Shuffles,
    Speechless,
    Spins,
    SpinsBetween,
    TakesAny,
    Tempts,
    Unexplained,
    UnexplainedRule,
    Unkeyed,
    Unreadable,
    Unsaved,
    Unworded,
    UnwordedAction,
    Weighs,
    With,
    Wrapping,
    keeps,
    leaving,
    loses,
    nothing,
    raising,
)
from .sound import Sound

FEW: dict[str, Any] = {"fights": 2, "commands": 16}


def upcast(upgrade: Callable[[dict[str, Any]], dict[str, Any]]) -> Report:
    upcasters = Upcasters({("note.0", "note"): upgrade}, UPCASTERS.current)
    return check_rules(Sound, **FEW, processes=False, old_events=[OLD], upcasters=upcasters)


def system(factory: Any, *, processes: bool = False, **how: Any) -> Callable[[], Report]:
    return lambda: check_rules(factory, **{**FEW, **how}, processes=processes)


def rule(factory: Any, over: Any = Sound) -> Callable[[], Report]:
    return lambda: check_house_rule(factory, over=over, **FEW, processes=False)


FAULTS: dict[str, dict[str, Callable[[], Report]]] = {
    "unloadable": {
        "nothing": system(nothing),
        "raising": system(raising),
        "leaving": system(leaving),
        "a rule that is nothing": lambda: check_house_rule(nothing, over=Sound, name="nothing"),
    },
    "rude": {},  # test_kit_processes.py: a module that another process imports
    "unbuildable": {"misspelt": system(Misspelt), "beginless": system(Beginless), "wrapping": rule(Wrapping)},
    "unplayed": {"picky": system(Picky), "idle": system(Idle)},
    "breach": {"raising": system(Raising), "leaving": system(Leaving), "sentence": system(Sentence), "bleeds": rule(Bleeds), "derives": system(Derives)},
    "endless": {"rolls": system(Rolls), "spins": system(Spins), "spins between": system(SpinsBetween)},
    "world": {
        "clock": system(ReadsClock),
        "date": system(ReadsDate),
        "chance": system(Shuffles),
        "its own chance": system(OwnChance),
        "file": system(ReadsFile),
    },
    "hidden-state": {"counts": system(Counts)},
    "not-repeatable": {"counts for all": system(CountsForAll), "looks where it lies": system(LooksWhereItLies)},
    "hash-order": {"takes any": system(TakesAny, processes=True)},
    "resume": {"remembers": system(RemembersAnswers)},
    "unfolded": {"meddles": system(Meddles)},
    "audit": {"counts for all": system(CountsForAll)},
    "inexact": {"halves": system(Halves), "weighs": system(Weighs), "measured": system(Measured)},
    "mutable": {"lists": system(Lists), "loose": system(Loose)},
    "unexplained": {"system": system(Unexplained), "rule": rule(UnexplainedRule)},
    "dice-unused": {"rolls for show": system(RollsForShow)},
    "verdict-ignored": {"goes by its own": system(GoesByItsOwn)},
    "finally-yield": {"finally": system(Finally), "with": system(With), "inner": system(Inner)},
    "form-refused": {"tempts": system(Tempts), "unreadable": system(Unreadable)},
    "unasked-place": {"armours": rule(Armours, over=Places)},
    "undocumented": {"unkeyed": system(Unkeyed), "speechless": system(Speechless), "unsaved": system(Unsaved, fights=4)},
    "text-missing": {"prompt": system(Unworded), "action": system(UnwordedAction), "rule": rule(Mute)},
    "upcaster": {"loses": lambda: upcast(loses), "keeps": lambda: upcast(keeps)},
    "exemption": {"stale": system(Sound, exempt=[Exempt("world", "time", "it was needed once")])},
}
"""Code -> what it is shown on: a name and the check of a faulty plugin."""
