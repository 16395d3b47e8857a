"""What a commit may look like: the events of one command, from somebody who may send it, in the parts it is told in.

Knows no rules and no state but that of the log: what the events say is asked elsewhere (`audit_commands.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec import UNSET, to_builtins

from .canonical import canonical
from .errors import AffrayError
from .events import (
    KIND_OF,
    Close,
    CloseAction,
    Done,
    Note,
    Open,
    Overrule,
    Reveal,
    RevealDice,
    Rewind,
    Rules,
    Turn,
)
from .inputs import check_text
from .ledger import Commit
from .limits import DICE_EPOCHS
from .lineage import AMEND
from .names import check_id
from .rules import Rules as RuleSet
from .state import State
from .steps import Roll
from .values import GM, Origin

POLICIES = frozenset({"fair", "reported", "scripted", "scripted-then-fair"})
"""Dice policies that a log may open with."""

UNDO_DICE = frozenset({"redraw", "keep", "forbid"})
"""What a log may say of dice past which an undo goes."""

NO_RULES = frozenset({Note, Reveal, RevealDice})
"""Kinds in which no rule has a word."""

_ALONE = frozenset({Open, Note, Reveal, RevealDice, Rewind})
"""Kinds behind which nothing stands in a commit."""

_GM_ONLY = frozenset({Close, Open, Overrule, Reveal, RevealDice, Rules})
"""Kinds that open with a command of the game master's."""


def misplaced(event: Any, before: Any) -> str:
    """Why an event cannot stand behind another one in its commit (None: it is the first), "" where it can."""
    if before is None or (type(event) is RevealDice and type(before) is Close):
        return ""
    if type(before) in _ALONE:
        return f"stands behind a {KIND_OF[type(before)]}, which ends its commit"
    return f"{KIND_OF[type(event)]} has a commit of its own" if type(event) in _ALONE else ""


def unopened(commit: Commit, epoch: int, length: int) -> str:
    """Why a commit cannot end as it does in this epoch of the open dice, of so many: a fight that ends opens them."""
    is_over = commit.envelope.group is None and type(commit.events[-1]) is Close
    return "the fight ends, and its dice are not opened" if is_over and epoch <= length else ""


class _Half(NamedTuple):
    """A command of which the second part may come: who sent it, its id, and whether its sender is kept."""

    caller: str
    command: str
    is_kept: bool


class Senders:
    """Goes through the commits of a log: who may have sent each, and which of them wait for a second part.

    A rewind leads back to where a second part was waited for; so every such end is remembered.
    """

    def __init__(self) -> None:
        self._half: _Half | None = None
        self._halves: dict[int, _Half] = {}

    def problems(self, commit: Commit) -> Iterator[str]:
        """Why a commit cannot have been sent as it says, before it is taken in."""
        sender, first = commit.sender, commit.events[0]
        is_again = commit.envelope.group is not None  # an amend runs commands again, whole, in the game master's name
        is_second = sender is not None and sender.part == 2
        if problem := _ungrouped(commit):
            yield problem
        if sender is not None and not is_again and (problem := self._part(commit)):
            yield problem
        if sender is not None and not is_second and sender.caller != GM and _is_gm_only(first):
            yield f"{sender.caller} cannot send this: it is the game master's"
        is_kept = commit.envelope.kept is not UNSET
        hides = first.veil is not UNSET or first.kept is not UNSET
        if self._half is not None and (is_second or sender is None):
            hides = self._half.is_kept if is_second else is_kept  # which part it is, is not known where it is kept
        hides = hides or (is_again and type(first) is Rewind and is_kept)  # of an amend, some edits may be hidden
        if is_kept != hides:
            yield f"its sender is {'kept' if is_kept else 'open'} where its event is not"

    def _part(self, commit: Commit) -> str:
        sender = commit.sender
        assert sender is not None
        if sender.part == 2:
            is_there = self._half is not None and self._half[:2] == (sender.caller, sender.command)
            if is_there and type(commit.events[0]) not in _ALONE:
                return ""
            return f"is the second part of {sender.command}, which has no first one here or needs none"
        whole = _first_part(commit)
        if sender.part != (whole > 0):
            return f"says that it is part {sender.part} of its command"
        return f"holds {len(commit.events)} events, the first part of its command {whole}" if whole not in (0, len(commit.events)) else ""

    def may_cut_in(self, event: Any) -> bool:
        """Whether a command may come before a second part that is waited for: one that helps where the rules cannot go on."""
        is_closing = type(event) is Overrule and isinstance(event.effect, CloseAction)
        return self._half is not None and (is_closing or type(event) is Rules)

    def take(self, commit: Commit) -> bool:
        """Take a commit in. Tells whether a second part may come, so that the rules may stand still behind it."""
        sender, first = commit.sender, commit.events[0]
        if type(first) is Rewind:
            self._half = self._halves.get(first.to)
        elif commit.envelope.group is not None:
            self._half = None
        elif sender is not None and sender.part == 1:
            self._half = _Half(sender.caller, sender.command, commit.envelope.kept is not UNSET)
        elif sender is None and _may_be_half(commit):
            self._half = _Half("", "", True)
        elif any(type(event) not in NO_RULES and type(event) is not Open for event in commit.events):
            self._half = None
        if self._half is not None:
            self._halves[commit.last] = self._half
        return self._half is not None


def _ungrouped(commit: Commit) -> str:
    """Why a commit cannot belong to its group, or to none: an amend is one, and nothing else is."""
    group, first, sender = commit.envelope.group, commit.events[0], commit.sender
    is_amend = type(first) is Rewind and first.why == AMEND
    if is_amend != (group is not None and group.index == 1):
        return "a group begins with the rewind of an amend" if not is_amend else "an amend is told in a group"
    if group is not None and sender is not None and (sender.caller, sender.part) != (GM, 0):
        return f"{sender.caller} cannot amend: it is the game master's"
    return ""


def _is_gm_only(event: Any) -> bool:
    kind = type(event)
    return kind in _GM_ONLY or (kind is Turn and event.moment == "begin") or (kind is Done and event.cause == "close")


def _first_part(commit: Commit) -> int:
    """How many events the first part of a command has that opens so; 0 where a command that opens so has one part."""
    first = commit.events[0]
    if type(first) is Roll:  # reported, or set by the game master for a slot that was then reported
        return int(first.source in ("reported", "overruled"))
    if type(first) is Rules:
        return 1
    return 2 if type(first) is Overrule and isinstance(first.effect, CloseAction) else 0


def _may_be_half(commit: Commit) -> bool:
    """Whether a commit whose sender is kept may be the first of two: reported dice, or a closed action; rules are never kept."""
    first = commit.events[0]
    if type(first) is Roll:
        return len(commit.events) == 1
    return type(first) is Overrule and (first.effect is None or isinstance(first.effect, CloseAction))


def misopened(event: Open, version: int) -> str:
    """Why a log cannot open so, whatever its rules, "" where it can; behind version 1 it is a fork that opens."""
    if strange := sorted({*event.dice.values()} - POLICIES):
        return f"there is no dice policy {strange[0]!r}"
    if "*" not in event.dice:
        return "no dice policy for all others"
    if event.undo_dice not in UNDO_DICE:
        return f"undo_dice cannot be {event.undo_dice!r}"
    if not 1 <= event.epochs <= DICE_EPOCHS:
        return f"dice chains of {event.epochs} epochs"
    if not all(_is_digest(chain) for chain in (event.chain, event.kept_chain)):
        return "the end of a dice chain is 64 hex digits"
    origin = event.origin
    how = "carry-on" if version == 1 else "fork"
    if origin is not None and not (origin.how == how and origin.version > 0 and _is_digest(origin.digest)):
        return f"cannot come from version {origin.version} of another session by {origin.how!r}"
    try:
        check_text(event.title, "$.title", empty=True)
        for who in event.dice:
            check_id(who.replace("*", "all"), "a controller", "$.dice")
    except AffrayError as error:
        return str(error)
    return ""


def misforked(event: Open, commit: Commit, state: State, before: Open | None) -> str:
    """Why a fork cannot open so behind the commits that it took over, "" where it can: all but its name and dice is theirs."""
    origin = Origin(how="fork", session=state.session, version=commit.first - 1, digest=commit.envelope.previous)
    if event.session == state.session:
        return "is no fork: it has the name of the session that it goes on from"
    if event.origin != origin:
        return f"comes from {origin.session} at version {origin.version}, and says something else"
    fair = {who: "fair" if policy.startswith("scripted") else policy for who, policy in state.dice.items()}
    is_witnessed = before is not None and before.witness
    if (event.manifest, event.undo_dice, event.dice, event.witness) != (state.manifest, state.undo_dice, fair, is_witnessed):
        return "goes on under other rules or dice policies than those it took over"
    return ""


def _is_digest(text: str) -> bool:
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def unspelt(options: dict[str, Any], rules: RuleSet) -> str:
    """Why options cannot stand in a manifest of these rules, "" where they can: every one is spelt out."""
    spelt = to_builtins(rules.options)
    if canonical(spelt) == canonical(options):
        return ""
    names = ", ".join(sorted(name for name in {*spelt, *options} if spelt.get(name) != options.get(name)))
    return f"the options are not spelt out as the rules read them: {names}"


__all__ = ["NO_RULES", "POLICIES", "UNDO_DICE", "Senders", "misopened", "misplaced", "unopened", "unspelt"]
