"""Mutation test of the audit: whatever is changed in a log and sealed again is found, but for a closed list.

Each list says of what it names why nobody can know from the log. Anything else that is missed fails, and so does an entry
that is missed no longer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from affray.kernel import audit, verify
from affray.plugins import exalted, nyra
from affray.sessions import Catalog, Engine, MemoryStore, Session, encounter
from affray.sessions.entropy import POLICIES, UNDO_DICE

from ...support import tampering
from ...support.dicey import Dicey
from ...support.everything import everything, fork, plain, scripted
from ...support.table import Fixed, tiny_catalog
from ...support.tampering import Book, Tampered, verdict

DEMOS = Path(encounter.__file__).parent / "demos"

COMMITS = 32
"""Lines of a demo that are looked at; what comes behind is of the same kinds."""

TOLD = "what is not installed, or publishes something else, is told as not checked"
WORD = "the game master's word, and nothing came of this much of it"
NAME = "a name, which decides nothing"
INPUT = "what a player brought along, and nothing came of this much of it"
SALT = "random bits"
CLIENT = "what the sender's client said of itself"
SAME = "it says the same, since that is the default"
OPENED = "the secret behind it is not opened"

VALUES = {
    "close.code": WORD,
    "declare.params": SAME,
    "join.conditions": INPUT,
    "join.conditions.*.source": INPUT,
    "join.conditions.*.value": INPUT,
    "join.controller": "who plays whom, where the game master sent everything",
    "join.name": NAME,
    "join.pools.*.start": INPUT,
    "join.side": NAME,
    "kept join.player": NAME,
    "kept join.pools.*": SAME,
    "kept note.text": "free text",
    "note.text": "free text",
    "open.chain": OPENED,
    "open.fingerprint": TOLD,
    "open.kept_chain": OPENED,
    "open.manifest.options": TOLD,
    "open.manifest.options.**": TOLD,
    "open.manifest.system.distribution": TOLD,
    "open.manifest.system.id": TOLD,
    "open.manifest.system.release": TOLD,
    "open.origin.digest": "the other session is not at hand",
    "open.origin.session": "the other session is not at hand",
    "open.origin.version": "the other session is not at hand",
    "open.title": NAME,
    "overrule.effect.drop": WORD,
    "overrule.effect.drop.*": WORD,
    "overrule.effect.ended": WORD,
    "overrule.effect.entries": WORD,
    "overrule.effect.entries.*.key": WORD,
    "overrule.effect.entries.*.moment": WORD,
    "overrule.effect.entries.*.when": WORD,
    "overrule.effect.entries.*.when.*": WORD,
    "overrule.effect.held.id": WORD,
    "overrule.effect.held.source": WORD,
    "overrule.effect.held.until": WORD,
    "overrule.effect.held.until.*": WORD,
    "overrule.effect.held.value": WORD,
    "overrule.reason": "free text",
    "roll.faces.*": "faces that read the same, of dice that are not opened",
    "roll.faces.*.*": "faces that read the same, of dice that are not opened",
    "roll.source": "whether a face is the engine's own shows when its dice are opened",
    "rules.fingerprint": TOLD,
    "rules.manifest.system.distribution": TOLD,
    "rules.manifest.system.id": TOLD,
    "rules.manifest.system.release": TOLD,
    "rules.reason": "free text",
}
"""Kind and field -> why a change of one value is not found."""

AROUND = {
    "part.salt": SALT,
    "sender part.audience": "who may read who sent something is asked when a copy is made, and changes no event",
    "sender part.salt": SALT,
    "sender.caller of note": "a note is everybody's to write",
    "sender.caller of rewind": "an undo is also the player's whose action it was",
    "sender.command": "an id of the client's choice, where no action is called so",
    "sender.digest": CLIENT,
    "sender.on_behalf": CLIENT,
    "sender.seen": CLIENT,
    "sender.time": CLIENT,
}
"""What stands around events -> why a change is not found."""

MOVED = {
    "drop done": "the end of the fight, by the game master's word, and the fight goes on without it",
    "drop note": "free text",
    "drop overrule": WORD,
    "drop reveal": "to open something is the game master's to choose",
    "drop reveal-dice": "the last commit, and only who knows the head knows that there was more",
    "repeat note": "free text",
    "repeat overrule": WORD,
    "repeat rules": "the same rules again change nothing",
    "swap declare, overrule": WORD,
    "swap done, reveal-dice": "to open dice is the game master's to choose",
    "swap note, leave": "free text",
    "swap overrule, declare": WORD,
    "swap overrule, overrule": WORD,
    "swap reveal, declare": "to open something is the game master's to choose",
    "swap reveal-dice, note": "free text",
    "swap rules, overrule": WORD,
}
"""What was done to whole commits -> why it is not found: it could as well have happened so."""


NAMES = ("everything", "plain", "scripted", "fork", "nyra", "exalted")
"""The logs. The last two are demos of the systems that come with Affray: nothing is missed in them that is not here too."""


class Told(NamedTuple):
    """A log and the rules of it."""

    lines: list[bytes]
    book: Book


def told(session: Session, book: Book) -> Told:
    return Told([session.header, *session.lines], book)


def demo(name: str, plugin: Callable[[], object]) -> Told:
    catalog = Catalog(systems={name: plugin}, points=())
    engine = Engine(MemoryStore(), catalog, Fixed("audited"))
    played = encounter.run_encounter(engine, encounter.read_encounter(DEMOS / f"{'duel' if name == 'nyra' else name}.toml"))
    return Told(told(played, catalog.rules).lines[:COMMITS], catalog.rules)


@cache
def logs() -> Mapping[str, Told]:
    book = tiny_catalog(Dicey).rules
    return {
        "everything": told(everything(), book),
        "plain": told(plain(), book),
        "scripted": told(scripted(), book),
        "fork": told(fork(), book),
        "nyra": demo("nyra", nyra.make),
        "exalted": demo("exalted", exalted.make),
    }


def missed(log: Told, changes: Iterable[Tampered], who: Counter[str] | None = None) -> dict[str, str]:
    """What was changed and not found, with one example of each; `who` counts who found what."""
    found: dict[str, str] = {}
    for change in changes:
        finder = verdict(log.lines[0], change, log.book)
        if who is not None:
            who[finder] += 1
        if not finder:
            found[change.what] = f"{change.what} at version {change.version}: {change.how}"
    return found


def unexpected(found: Mapping[str, str], allowed: Iterable[str]) -> list[str]:
    return [example for what, example in found.items() if what not in allowed]


@cache
def missed_values(name: str) -> tuple[Mapping[str, str], Counter[str]]:
    """What is missed of changed values, and who found how many of the others."""
    log, who = logs()[name], Counter[str]()
    return missed(log, tampering.values(log.lines, 4 if name == "plain" else 1), who), who


@pytest.mark.parametrize("name", NAMES)
def test_a_log_is_clean_before_it_is_tampered_with(name: str) -> None:
    """Law 6: the rules, given recorded dice and answers, make the record again."""
    log = logs()[name]
    found = audit(log.lines, log.book)
    assert (found.findings, found.divergences, found.unchecked) == ((), (), ())
    kinds = {change.what.partition(".")[0] for change in tampering.values(log.lines)}
    assert name != "everything" or len(kinds) >= 24


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_value_is_found(name: str) -> None:
    """Law 1: what the log says is what happened, and law 6: the rules would have said the same."""
    assert unexpected(missed_values(name)[0], VALUES) == []


def test_every_value_of_the_closed_list_is_missed() -> None:
    found = {what for name in ("everything", "plain", "scripted") for what in missed_values(name)[0]}
    assert sorted(VALUES) == sorted(found)


@pytest.mark.parametrize("name", [name for name, why in VALUES.items() if why == TOLD and "distribution" not in name])
def test_rules_that_are_not_at_hand_are_told(name: str) -> None:
    log = logs()["everything" if name.startswith("rules") else "plain"]
    changed = next(change for change in tampering.values(log.lines) if change.what == name)
    found = audit(changed.lines(log.lines[0]), log.book)
    assert found.is_clean
    assert [left.version for left in found.unchecked] == [changed.version]


def test_a_change_around_events_is_found_or_on_the_closed_list() -> None:
    log = logs()["everything"]
    found = missed(log, tampering.envelopes(log.lines, 2))
    assert unexpected(found, AROUND) == []
    assert sorted(AROUND) == sorted(found)


def test_an_event_that_is_dropped_doubled_or_swapped_is_found() -> None:
    log = logs()["everything"]
    assert missed(log, tampering.events(log.lines)) == {}


def test_a_commit_that_is_dropped_doubled_swapped_joined_or_parted_is_found_or_on_the_closed_list() -> None:
    log = logs()["everything"]
    found = missed(log, tampering.whole_commits(log.lines))
    assert unexpected(found, MOVED) == []
    assert sorted(MOVED) == sorted(found)


def test_a_fork_opens_as_what_it_took_over() -> None:
    """All that a fork's `open` says of the other session can be held against the commits it begins with."""
    log = logs()["fork"]
    opened = [change for change in tampering.values(log.lines, 2) if change.what.startswith("open.") and change.version > 1]
    assert {"open.origin.digest", "open.origin.session", "open.origin.version", "open.witness"} < {one.what for one in opened}
    free = {"open.chain", "open.fingerprint", "open.kept_chain", "open.title"}
    assert sorted(missed(log, opened)) == sorted(free)


def test_it_takes_the_audit_to_find_most_of_it() -> None:
    """What passes `verify` and is found all the same; without these the tests above would prove nothing."""
    who = missed_values("nyra")[1]
    assert who["audit"] > who["verify"] > 50


def test_what_the_engine_writes_is_what_a_log_may_open_with() -> None:
    from affray.kernel.audit_commits import POLICIES as known
    from affray.kernel.audit_commits import UNDO_DICE as known_undo

    assert (frozenset(POLICIES), frozenset(UNDO_DICE)) == (known, known_undo)


def each(lines: list[bytes]) -> Iterator[Tampered]:
    for changes in (tampering.values, tampering.events, tampering.whole_commits):
        yield from list(changes(lines))[::40]


def test_a_changed_log_is_whole_but_for_the_change() -> None:
    """The tampering is good: only what it is about can be found, since bytes, seals and digests fit."""
    log = logs()["everything"]
    for change in each(log.lines):
        findings = verify(change.lines(log.lines[0])).findings
        assert all("seal" not in one.text and "digest" not in one.text for one in findings), change.what
