"""`affray odds`: what it prints for people and for programs, whom it answers, and that it leaves a session as it was."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from affray.kernel import GM, Busy, InputError, Odds, Refused, commands
from affray.sessions import Catalog, Engine, Session
from affray.sessions.cli.progress import Progress
from affray.sessions.odds import odds_of, odds_of_action
from affray.sessions.stores.sqlite import SqliteStore
from affray.sessions.views.odds import decimal, percent

from ...docs.test_commands import SHAPES, TEXT
from ...golden.odds_cases import declare, nyra, sparring
from ...support.cli import NYRA, TINY, affray, document, find_plugins
from ...support.ram import ram_folder
from ...support.table import Fixed, must, tiny_session

DUEL = """
system = "nyra"
[[combatants]]
id = "ada"
name = "Ada"
side = "red"
controller = "ada"
sheet = { STR = 7, AGI = 6, CON = 7, sequence = 5, skills = { Swords = 7 }, weapons = [{ key = "sword", base = "short-sword" }] }
[[combatants]]
id = "bram"
name = "Bram"
side = "blue"
controller = "bram"
sheet = { STR = 7, AGI = 6, CON = 7, sequence = 4, skills = { Swords = 7, Defense = 5 } }
"""

WILD = ("odds", "duel-1", "ada", "strike", "bram", "weapon=sword", "strike=wild", "type=C")


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with ram_folder() as folder:
        monkeypatch.setenv("AFFRAY_HOME", str(folder))
        find_plugins(monkeypatch, NYRA, TINY)
        yield folder


@pytest.fixture
def duel(home: Path) -> Path:
    (home / "duel.toml").write_text(DUEL)
    assert affray("run", home / "duel.toml", "--session", "duel-1").exit_code == 0
    return home


def tiny(home: Path, **start: Any) -> None:
    store = SqliteStore(home / "sessions")
    try:
        tiny_session(Engine(store, Catalog(), Fixed()), **start)
    finally:
        store.close()


def stored_bytes(home: Path) -> list[bytes]:
    store = SqliteStore(home / "sessions")
    try:
        return [line for name in store.sessions() for line in store.read(name)]
    finally:
        store.close()


# -- for people


def test_a_strike_is_told_in_a_table(duel: Path) -> None:
    before = stored_bytes(duel)
    result = affray(*WILD)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert "Ada: strike at Bram, as the fight stands at version 9" == lines[0]
    assert "Bram answers defence: Defense, not no defence" in lines
    assert ["hit            58.5 %", "miss           20.0 %", "blocked        11.5 %", "critical miss  10.0 %"] == lines[4:8]
    assert "Damage to Bram: 8.9 on average, any at all 58.5 %" in lines
    assert "  half the time 11 or more, 1 time in 10 19 or more, 1 time in 100 31 or more" in lines
    assert re.search(r"^  Bram: dead +2\.2 %$", result.stdout, re.MULTILINE)
    assert "  the fight is over: won by red  2.2 %" in lines
    assert re.fullmatch(r"exact, by \d+ executions", lines[-1])
    assert before == stored_bytes(duel), "nothing was appended"


def test_every_way_to_answer_is_told(duel: Path) -> None:
    result = affray(*WILD, "--policy", "each")
    told = re.findall(r"^Bram answers .*$", result.stdout, re.MULTILINE)
    assert ["Bram answers defence: Defense, not no defence", "Bram answers defence: no defence, not Defense"] == told


def test_an_estimate_has_ranges(home: Path) -> None:
    tiny(home)
    result = affray("odds", "s", "ann", "roll", "notation=1d20001", "--samples", "30")
    assert re.search(r"^rolled  100\.0 % \(88\.\d to 100\.0 %\)$", result.stdout, re.MULTILINE), result.stdout
    assert "estimated from 30 samples" in result.stdout
    refused = affray("odds", "s", "ann", "roll", "notation=1d20001", "--samples", "0")
    assert (1, "affray: That has too many outcomes to count, more than 20000 branches.\n") == (refused.exit_code, refused.stderr)


def test_what_may_not_be_declared_is_refused(duel: Path) -> None:
    result = affray(*WILD[:-1], "type=B")
    assert (1, "", "affray: Short Sword cannot be used for bludgeoning damage.\n") == (result.exit_code, result.stdout, result.stderr)
    printed = document(*WILD[:-1], "type=B", code=1)
    assert ("damage-type-not-available", []) == (printed["refused"]["code"], printed["odds"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--answer", "defense=none"), "answers.defense: this is not asked; what is: defence (got 'none')"),
        (("--answer", "defence=duck"), "answers.defence: no such option; there are defense, none (got 'duck')"),
        (("--answer", "none"), "Invalid value for '--answer': 'none' is no KEY=CODE"),
        (("--samples", "1"), "samples: must be a whole number from 2 to 1000000, or 0 (got 1)"),
        (("--policy", "worst"), "Invalid value for '--policy'"),
    ],
)
def test_misuse_is_one_sentence(duel: Path, options: tuple[str, ...], message: str) -> None:
    result = affray(*WILD, *options)
    assert (2, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith(f"affray: {message}")


def test_a_player_asks_for_the_own(duel: Path) -> None:
    mine = document(*WILD, "--as", "ada")
    assert document(*WILD)["odds"] == mine["odds"]
    refused = document(*WILD, "--as", "bram", code=1)
    assert "not-yours" == refused["refused"]["code"]


def test_a_modifier_of_the_game_master_counts(duel: Path) -> None:
    better = document(*WILD, "--row", "attack.skill", "2", "bless")
    hit = {one["code"]: one["probability"] for one in better["odds"][0]["codes"]}
    assert Fraction(hit["hit"]) > Fraction(269, 460)
    assert "gm-only" == document(*WILD, "--row", "attack.skill", "2", "bless", "--as", "ada", code=1)["refused"]["code"]


# -- for programs


def test_the_document_is_what_the_page_says(duel: Path) -> None:
    printed = document(*WILD)
    assert list(SHAPES["odds"]) == list(printed)
    shown, real = SHAPES["odds"]["odds"][0], printed["odds"][0]
    assert list(shown) == list(real)
    for name in ("answers", "codes", "damage"):
        assert shown[name][0] in real[name]
    assert set(shown["outcomes"][0]) == set(real["outcomes"][0])
    assert shown["outcomes"][0] in real["outcomes"]
    assert 1 == sum(Fraction(one["probability"]) for one in real["outcomes"])


def test_the_commands_of_the_page_run(duel: Path) -> None:
    lines = re.findall(r"^affray .*$", TEXT.partition("```sh odds\n")[2].partition("```")[0], re.MULTILINE)
    assert len(lines) > 3
    for line in lines:
        result = affray(*shlex.split(line)[1:])
        assert result.exit_code == 0, (line, result.stderr)


@pytest.mark.parametrize(
    ("value", "shown"),
    [("0", "0.0"), ("1/10000", "<0.1"), ("1/1000", "0.1"), ("269/460", "58.5"), ("9999/10000", ">99.9"), ("1", "100.0")],
)
def test_percent(value: str, shown: str) -> None:
    assert shown == percent(Fraction(value))


@pytest.mark.parametrize(("value", "shown"), [("0", "0.0"), ("8229/920", "8.9"), ("-1/2", "-0.5"), ("-1/1000", "0.0")])
def test_decimals(value: str, shown: str) -> None:
    assert shown == decimal(Fraction(value))


# -- in a program


def asked(session: Session, **how: Any) -> Any:
    return odds_of(session, declare("ann", "contest", "bob"), **how)


def test_a_session_gives_odds() -> None:
    session = sparring()
    (one,) = asked(session)
    assert isinstance(one, Odds)
    assert (one,) == odds_of_action(session, "ann", "contest", "bob")
    assert 2 == len(odds_of_action(session, "ann", "press", "bob", policy="each"))  # type: ignore[arg-type]
    assert Refused("not-yours", ("ann",)) == asked(session, caller="bob")
    (begun,) = odds_of(nyra_before_it_begins(), commands.Begin())  # type: ignore[misc]
    assert [("ada", "bram")] == [one.outcome.order for one in begun.chances]


def nyra_before_it_begins() -> Session:
    session = nyra()
    must(session.undo())
    assert not session.state(reader=GM).began
    return session


def test_a_policy_there_is_not_is_told() -> None:
    with pytest.raises(InputError, match="policy: no such policy; there are first, best, each"):
        asked(sparring(), policy="worst")


def test_odds_are_not_for_the_middle_of_a_command() -> None:
    session = sparring()
    session._is_busy = True
    with pytest.raises(Busy):
        asked(session)


def test_progress_is_told_to_a_terminal_only(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("affray.sessions.cli.progress.PATIENCE", 0)
    for is_terminal, told in ((False, ""), (True, "\r\x1b[Kworking out: 1,200 executions\r\x1b[K")):
        monkeypatch.setattr("sys.stderr.isatty", lambda is_terminal=is_terminal: is_terminal)
        progress = Progress("working out", "executions")
        progress.tell(1200)
        progress.end()
        assert told == capsys.readouterr().err
