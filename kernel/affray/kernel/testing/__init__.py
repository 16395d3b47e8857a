"""The kit for whoever writes a plugin or a store: checks, and what tests are made with. README.md tells how to use it.

Nothing else in the kernel imports this package. It needs neither pytest nor Hypothesis: fixtures stand in
`pytest_plugin.py`, strategies in `strategies.py`.
"""

from __future__ import annotations

from .dice import DiceSource, EnumeratedDice, RecordedDice, ScriptedDice, SeededDice, Way, every_roll
from .findings import RULE_CHECKS, Check, Exempt, Finding, Report
from .given import (
    Given,
    amend,
    answer,
    asked,
    audited,
    combatant,
    declare,
    dice_used,
    event,
    events,
    given,
    has,
    holds,
    lacks,
    leave,
    no_event,
    not_asked,
    over,
    overrule,
    pool_is,
    refused,
    report,
    turn_of,
    unchanged,
    undo,
)
from .kit import check_house_rule, check_rules
from .ledgers import Scribe
from .sheets import valid_sheets
from .stores import STORE_CHECKS, Store, StoreCheck, check_store
from .table import Book, Factory, Table

__all__ = [
    "RULE_CHECKS",
    "STORE_CHECKS",
    "Book",
    "Check",
    "DiceSource",
    "EnumeratedDice",
    "Exempt",
    "Factory",
    "Finding",
    "Given",
    "RecordedDice",
    "Report",
    "Scribe",
    "ScriptedDice",
    "SeededDice",
    "Store",
    "StoreCheck",
    "Table",
    "Way",
    "amend",
    "answer",
    "asked",
    "audited",
    "check_house_rule",
    "check_rules",
    "check_store",
    "combatant",
    "declare",
    "dice_used",
    "event",
    "events",
    "every_roll",
    "given",
    "has",
    "holds",
    "lacks",
    "leave",
    "no_event",
    "not_asked",
    "over",
    "overrule",
    "pool_is",
    "refused",
    "report",
    "turn_of",
    "unchanged",
    "undo",
    "valid_sheets",
]
