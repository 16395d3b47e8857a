"""An audit as one reader may know it: of what is kept, that it is there, and nothing of what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from affray.kernel import GM, PUBLIC, Action, Audit, Fight, Roll, Steps, hookimpl
from affray.sessions import Session
from affray.sessions.auditing import KEPT, audit_ledger, for_reader

from ...support.audits import log
from ...support.dicey import Dicey
from ...support.everything import everything
from ...support.fights import Table, answer, declare, join, report, seats, undo
from ...support.table import must, tiny_catalog


def audited(session: Session, reader: str, plugin: Callable[[], object] = Dicey) -> Audit:
    return audit_ledger(log(session), tiny_catalog(plugin), reader=reader)


def versions(session: Session, kind: type) -> set[int]:
    return {one.version for one in session.history(reader=GM) if isinstance(one.event, kind)}


def secret_dice() -> Session:
    """A goblin that attacks in secret with dice thrown at the table, taken back and done again; Ann peeks, blind."""
    table = Table(catalog=tiny_catalog(Dicey), dice={"gm": "reported", "ann": "reported"})
    table.play([join("gob", controller=GM, init=9), join("ann", init=3)])
    session = table.session
    must(session.begin())
    while prompts := session.prompts(reader=GM):
        slot, prompt = next(iter(prompts.items()))
        must(session.report(slot, prompt.ask.who[0], [[3]]))
    for number in range(2):
        table.play([declare(f"g{number}", "gob", "attack", "ann", caller=GM, secret=True)])
        table.play([report(f"r{number}", "gob", (3,), caller=GM)])
        if not number:
            table.play([undo("back")])
    table.play([answer("stand", "ann", "stand")])
    while prompts := session.prompts(reader=GM):
        slot, prompt = next(iter(prompts.items()))
        assert prompt.ask.plan is not None
        dice = sum([term.count for term in prompt.ask.plan.terms])
        must(session.report(slot, prompt.ask.who[0], [[1]] * dice))
    table.play([declare("a1", "ann", "peek")])
    must(session.report(next(iter(session.prompts(reader=GM))), "ann", [[7]] * 5, caller="ann"))
    return session


def test_nothing_is_told_of_dice_that_a_reader_does_not_see() -> None:
    session = secret_dice()
    whole, public = audited(session, GM), audited(session, PUBLIC)
    rolls = versions(session, Roll)
    sealed = {one.version for one in session.history() if type(one.event).__name__ == "Sealed"}
    assert rolls & sealed
    assert rolls == {one.version for one in whole.reported}
    assert rolls - sealed == {one.version for one in public.reported}
    (undone,), (shown,) = whole.undone, public.undone
    assert set(undone.rolls) == rolls & set(range(undone.first, undone.last + 1)) != set()
    assert set(shown.rolls) == set(undone.rolls) - sealed == set()
    assert (undone.first, undone.last) == (shown.first, shown.last)


def test_who_sent_something_is_told_to_those_who_may_know_it() -> None:
    session = secret_dice()
    peek = max(versions(session, Roll) & {one.version for one in session.history() if one.sender is None})
    callers = [{one.version: one.caller for one in audited(session, reader).reported}[peek] for reader in (GM, "ann", PUBLIC)]
    assert ["ann", "ann", ""] == callers


class Talks(Dicey):
    """Fails, and tells in its error what nobody but the game master should know."""

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        if action.name == "heal":
            raise RuntimeError(f"the goblin has {fight.pool('gob', 'hp') + 7700}")
        return super().resolve(fight, action)


def test_what_rules_say_when_they_fail_may_be_anything() -> None:
    (whole,), (public,) = audited(everything(), GM, Talks).divergences, audited(everything(), PUBLIC, Talks).divergences
    assert "the goblin has 7740" in whole.text
    assert (public.version, public.code, public.action) == (whole.version, whole.code, whole.action)
    assert public.text == KEPT


def test_where_nothing_is_kept_everybody_is_told_everything() -> None:
    table = Table(catalog=tiny_catalog(Dicey))
    table.play([*seats("ann", "gob"), declare("a1", "ann", "heal", "ann", power=1)])
    assert audited(table.session, GM, Talks) == audited(table.session, PUBLIC, Talks)
    assert "the goblin has 7712" in audited(table.session, PUBLIC, Talks).divergences[0].text


@pytest.mark.parametrize("reader", [PUBLIC, "ann", "bob"])
def test_a_reader_is_told_no_more_than_the_readers_copy_holds(reader: str) -> None:
    """Every value of the game master's audit that the reader's lacks is one that the reader may not know, and none is new."""
    whole, shown = (msgspec.to_builtins(audited(everything(), one)) for one in (GM, reader))
    assert less(shown, whole)
    assert shown["checked"] == whole["checked"]
    assert audited(everything(), reader).is_clean


def less(shown: Any, whole: Any) -> bool:
    """Whether a value is the same but for what was left out of it."""
    if isinstance(shown, dict):
        return shown.keys() == whole.keys() and all(less(shown[name], whole[name]) for name in shown)
    if isinstance(shown, list | tuple):
        rest = list(whole)
        return all(any(less(one, other) for other in rest) for one in shown)
    return shown is None or shown in (whole, "", KEPT)


def test_the_game_master_needs_no_sight() -> None:
    from affray.sessions.auditing import Sight

    found = audited(everything(), GM)
    assert for_reader(found, Sight(GM)) is found
