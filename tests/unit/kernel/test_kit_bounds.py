"""Every bound of the kit, at it and one past it (law 9)."""

from __future__ import annotations

import threading
import time
from typing import Annotated, Any

import msgspec
import pytest

from affray.kernel import Action, Fight, Form, InputError, Refused, Steps, hookimpl
from affray.kernel.testing import bounds, check_rules, given, valid_sheets
from affray.kernel.testing import player as player_module
from affray.kernel.testing import sheets as sheets_module
from affray.kernel.testing import watch as watch_module
from affray.kernel.testing.elsewhere import Elsewhere, reference
from affray.kernel.testing.exactness import inexact
from affray.kernel.testing.findings import Tally, condensed
from affray.kernel.testing.otherwise import ByItself, Unused
from affray.kernel.testing.player import Player, Setup, Tried
from affray.kernel.testing.sheets import Seeded, value_of
from affray.kernel.testing.table import Book

from ...support.faulty import Raising
from ...support.sound import Sheet, Sound
from ...support.tiny import Tiny

SETUP = Setup(sheets=({"hp": 20}, {"hp": 10, "speed": 7}), fights=1, commands=10)


def player(system: Any = Sound, setup: Setup = SETUP, number: int = 0, tally: Tally | None = None) -> Player:
    return Player(Book(system), setup, number, tally or Tally(), {})


def test_so_many_fights_of_so_many_commands() -> None:
    """FIGHTS and COMMANDS are what is played when nothing else is said."""
    assert (Setup(sheets=()).fights, Setup(sheets=()).commands) == (bounds.FIGHTS, bounds.COMMANDS) == (6, 40)
    report = check_rules(Sound, fights=2, commands=5, processes=False)
    assert report.fights == 2
    assert player(setup=msgspec.structs.replace(SETUP, commands=3)).play().moves[-1].id == "k7"  # 2 join, begin, 3, close


def test_so_many_people() -> None:
    for number in range(bounds.PEOPLE + 1):
        fought = player(number=number, setup=msgspec.structs.replace(SETUP, commands=0)).play()
        assert 2 <= len(fought.table.state.combatants) <= bounds.PEOPLE


def test_so_many_breaches_end_a_fight(monkeypatch: pytest.MonkeyPatch) -> None:
    for most in (2, 3):
        monkeypatch.setattr(player_module, "BREACHES", most)
        fought = player(Raising, msgspec.structs.replace(SETUP, commands=200)).play()
        assert [move.outcome for move in fought.moves].count("breach") == most
        assert fought.is_broken


class Stubborn(Sound):
    """Refuses everything."""

    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        return Refused("no")


@pytest.mark.parametrize("most", [3, 4])
def test_so_many_refusals_end_a_fight(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_module, "REFUSALS", most)
    tally = Tally()
    fought = player(Stubborn, tally=tally).play()
    assert [move.outcome for move in fought.moves].count("refused-no") == most
    assert tally.has("unplayed")


@pytest.mark.parametrize("most", [2, 3])
def test_what_is_hopeless_is_tried_no_more(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attacks are always refused, and there is something else to do."""
    monkeypatch.setattr(player_module, "HOPELESS", most)
    tried: dict[str, Tried] = {}
    Player(Book(Peaceful), msgspec.structs.replace(SETUP, commands=60), 0, Tally(), tried).play()
    assert (tried["attack"].times, tried["attack"].accepted) == (most, 0)
    assert tried["rest"].accepted > most


class Peaceful(Sound):
    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        return None if action.name == "rest" else Refused("no")


class Wide(Sound):
    """Takes the last way to fill in its form only."""

    wide = bounds.COMBINATIONS

    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        return [Form(name="rest", choices={"way": tuple(range(self.wide))})] if fight.state.turn == who else []

    @hookimpl
    def describe(self) -> Any:
        return msgspec.structs.replace(Sound().describe(), actions={"rest": Way})

    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        return None if action.params.way == self.wide - 1 else Refused("no")

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        raise AssertionError


class Way(msgspec.Struct, frozen=True):
    way: int


@pytest.mark.parametrize(("more", "is_possible"), [(0, True), (1, False)])
def test_so_many_ways_to_fill_in_a_form_are_tried(more: int, is_possible: bool) -> None:
    wide = type("Wider", (Wide,), {"wide": bounds.COMBINATIONS + more})
    fight = given(wide, *[one for one in (_join("ann"), _join("bob"))])
    one = player(wide)
    one.table = fight.table
    (form,) = fight.table.rules.actions(fight.table.exchange.window(fight.table.rules), fight.state.turn)
    assert one._is_possible(fight.state.turn, form) == is_possible


def _join(who: str) -> Any:
    from affray.kernel.testing import combatant

    return combatant(who, {"hp": 20})


# -- values


class Rare(Sound):
    """A sheet is valid once in a while."""

    tries = 0
    good = 0

    @hookimpl
    def check_sheet(self, sheet: Sheet) -> list[tuple[str, str]]:
        Rare.tries += 1
        return [] if Rare.tries == self.good else [("$", "not yet")]


@pytest.mark.parametrize(("more", "count"), [(0, 1), (1, 0)])
def test_so_many_sheets_are_tried(more: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rare, "tries", 0)
    monkeypatch.setattr(Rare, "good", bounds.SHEET_TRIES + more)
    book = Book(Rare)
    assert len(list(valid_sheets(book(book.manifest()), "x", 1))) == count


def test_so_many_sheets_are_made() -> None:
    book = Book(Sound)
    assert bounds.SHEETS == len(list(valid_sheets(book(book.manifest()), "x", bounds.SHEETS)))


def nested(depth: int) -> Any:
    kind: Any = int
    for _ in range(depth):
        kind = tuple[kind]
    return kind


def test_values_are_made_so_deep() -> None:
    assert str(value_of(nested(bounds.VALUE_DEPTH), Seeded("x"))).count("[") == bounds.VALUE_DEPTH
    with pytest.raises(InputError, match="nested too deeply"):
        value_of(nested(bounds.VALUE_DEPTH + 1), Seeded("x"))


def test_values_are_looked_at_so_deep() -> None:
    def inside(depth: int) -> Any:
        value: Any = 0.5
        for _ in range(depth):
            value = (value,)
        return value

    assert inexact(inside(bounds.VALUE_DEPTH + 1))
    assert not inexact(inside(bounds.VALUE_DEPTH + 2))


def test_lists_and_texts_are_small() -> None:
    lengths = {len(value_of(tuple[int, ...], Seeded(str(seed)))) for seed in range(60)}
    assert lengths == set(range(sheets_module.MOST_ITEMS + 1))
    numbers = {value_of(Annotated[int, msgspec.Meta(ge=3)], Seeded(str(seed))) for seed in range(400)}
    assert numbers == set(range(3, 3 + sheets_module.USUAL + 1))


# -- changes


def test_so_many_samples_and_alternatives(monkeypatch: pytest.MonkeyPatch) -> None:
    """SAMPLES actions of a key and code, ALTERNATIVES changes of each, two with every other code and two more."""
    runs: list[Any] = []

    class Counting(ByItself):
        def run(self, start: Any, change: Any = None) -> Any:
            if change is not None:
                runs.append(start)
            return []

    unused = Unused(Tally(), [f"judge.attack.code-{n}" for n in range(50)])
    book = Book(Sound)
    fought = player().play()
    whole = ByItself(book, fought)
    start, base, index = next(
        (start, base, index)
        for start in whole.starts()
        for base in [whole.run(start)]
        for index, one in enumerate(base)
        if getattr(one.event, "key", "") == "attack" and type(one.event).__name__ == "Judge"
    )
    counting = Counting(book, fought)
    base = base[: index + 1]  # nothing follows, so nothing can depend on it
    for _ in range(bounds.SAMPLES + 1):
        unused._look_at(counting, start, base, index)
    assert len(runs) == bounds.SAMPLES * (2 * bounds.ALTERNATIVES + 2)


def test_findings_that_are_alike_are_told_so_often() -> None:
    tally = Tally()
    for number in range(bounds.FOUND_ALIKE):
        tally.add("breach", "a", "b", f"number {number}")
        tally.add("breach", "a", "b", f"number {number}")
    assert condensed(tally.findings()) == tally.findings()
    assert len(tally.findings()) == bounds.FOUND_ALIKE
    tally.add("breach", "a", "b", "one more")
    tally.add("breach", "a", "other", "one")
    found = [finding.text for finding in condensed(tally.findings())]
    assert found == [*[f"number {number}" for number in range(bounds.FOUND_ALIKE)], "and 1 more of the kind", "one"]


# -- time


@pytest.mark.parametrize(("seconds", "is_late"), [(0.2, False), (1.6, True)])
def test_a_hook_has_so_many_seconds(seconds: float, is_late: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bounds.HOOK_SECONDS == 5
    monkeypatch.setattr(watch_module, "HOOK_SECONDS", 1)
    tally = Tally()
    watch = watch_module.Watch(tally)

    def busy() -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            pass

    with watch.time_limit() as is_limited:
        assert is_limited
        if is_late:
            with pytest.raises(RuntimeError, match="broken off"):
                watch.call("slow", "check", busy)
        else:
            watch.call("slow", "check", busy)
    assert [finding.code for finding in tally.findings()] == ["endless"] * is_late


def test_in_a_thread_no_hook_is_broken_off() -> None:
    """Signals reach the main thread only; the report says so."""
    told: list[Any] = []
    thread = threading.Thread(target=lambda: told.append(check_rules(Sound, fights=1, commands=2, processes=False)))
    thread.start()
    thread.join()
    assert told[0].is_clean
    assert any("not the main thread" in note for note in told[0].notes)


@pytest.mark.parametrize(("seconds", "problem"), [(60, ""), (0, "did not come to an end within 0 seconds")])
def test_another_process_has_so_many_seconds(seconds: int, problem: str) -> None:
    assert bounds.PROCESS_SECONDS == 60
    (answer,) = Elsewhere(reference(Sound), {}, SETUP, seeds=(3,)).wait(seconds)
    assert answer.problem == problem
    assert len(answer.fights) == (not problem)


def test_two_other_seeds_of_the_hash() -> None:
    assert len(set(bounds.HASH_SEEDS)) == 2


def test_what_a_plugin_says_is_to_be_lived_with_is_a_note() -> None:
    class Owning(Tiny):
        exempt = (("unexplained", "", "it is a test"), ("endless", "no such thing", "nothing"))

    plain = check_rules(Tiny, fights=1, processes=False)
    owned = check_rules(Owning, fights=1, processes=False)

    assert any(one.code == "unexplained" for one in plain.findings)
    assert not any(one.code == "unexplained" for one in owned.findings)
    assert [note for note in owned.notes if "it is a test" in note]
    assert not [note for note in owned.notes if "nothing" in note and "says that" in note]
