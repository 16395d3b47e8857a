"""`affray rules`: what a session is pinned to, what is installed, and a change of either, as a person and a program see it."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from affray.kernel import Action, Fight, Modifier, Pool, System, hookimpl
from affray.sessions import JsonlStore

from ...docs.test_commands import SHAPES, compare
from ...support.cli import TINY, affray, document, find_plugins
from ...support.table import engine, tiny_session
from ...support.tiny import Sheet, Tiny


class Luck:
    """One more on every attack."""

    title = "A lucky hand"
    systems = ("tiny",)

    @hookimpl
    def contribute(self, fight: Fight, action: Action, place: str) -> list[Modifier]:
        return [Modifier(place, 1, "luck")] if place == "attack.skill" else []


class NewerLuck(Luck):
    """Luck has changed."""

    release = "2"


class Doom:
    """A rule that looks at every step."""

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Any) -> None:
        """Change nothing."""


class Gloom(Doom):
    """Another one."""


class Chess:
    """A rule of another game."""

    systems = ("chess", "go")


class NewOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The counts are gone, and so is an old joke."""

    speed: int = 3


class Newer(Tiny):
    @hookimpl
    def describe(self) -> System:
        return replace(super().describe(), release="2")


class Otherwise(Tiny):
    """The same release, which tells more about itself."""

    @hookimpl
    def describe(self) -> System:
        return replace(super().describe(), steps={"attack": "an attack"})


class Unlike(Tiny):
    """Other options."""

    @hookimpl
    def describe(self) -> System:
        return replace(super().describe(), release="3", options=NewOptions)


class Stranger(Tiny):
    """A pool that nobody has joined with."""

    @hookimpl
    def describe(self) -> System:
        return replace(super().describe(), release="4")

    @hookimpl
    def pools(self, sheet: Sheet, options: Any) -> dict[str, Pool]:
        return {**super().pools(sheet, options), "mana": Pool(start=0)}


def point(name: str, plugin: type, group: str = "affray.house_rules") -> EntryPoint:
    return EntryPoint(name, f"{plugin.__module__}:{plugin.__name__}", group)


LUCK = point("luck", Luck)

HEAD = 11
"""The version at which the session begins that the tests act on."""


def system(plugin: type) -> EntryPoint:
    return point("tiny", plugin, "affray.systems")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AFFRAY_HOME", str(tmp_path))
    find_plugins(monkeypatch, TINY, LUCK)
    store = JsonlStore(tmp_path / "sessions")
    made = engine(store)
    made.catalog = type(made.catalog)()
    tiny_session(made, house=["luck"])
    store.close()
    return tmp_path


def told(*args: str, code: int = 0) -> list[str]:
    result = affray("rules", "s", *args)
    assert result.exit_code == code, (result.stdout, result.stderr)
    return result.stdout.splitlines()


def said(*args: str, code: int) -> str:
    """What is said on standard error."""
    result = affray("rules", "s", *args)
    assert result.exit_code == code, (result.stdout, result.stderr)
    return str(result.stderr)


def rows(*more: str) -> tuple[str, ...]:
    return ("--row", "attack.skill", "20", "sure", *more)


# -- as it is pinned


def test_what_a_session_is_played_by(home: Path) -> None:
    assert told() == [
        "s: the rules since version 1",
        "system tiny, release 1: installed",
        "house-rule luck, release 1: installed",
        "  counts = 5",
    ]
    found = document("rules", "s")
    named = {name: SHAPES["rules"][name] for name in ("options", "overlaps")}  # their keys are names
    compare("rules", {**found, **named})
    assert (found["same"], found["since"], found["overlaps"], found["waiting"], found["problem"]) == (True, 1, {}, [], "")
    assert [(one["kind"], one["id"], one["release"], one["installed"]) for one in found["plugins"]] == [
        ("system", "tiny", "1", "1"),
        ("house-rule", "luck", "1", "1"),
    ]


def test_the_order_of_house_rules_is_told_where_it_counts(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, TINY, LUCK, point("doom", Doom), point("gloom", Gloom))
    assert affray("rules", "s", "--house", "gloom, luck,doom").exit_code == 0
    assert told()[-2:] == [
        "the order of the house rules counts:",
        "  ruling: gloom, doom (each is given what the one before left)",
    ]
    assert document("rules", "s")["overlaps"] == {"ruling": ["gloom", "doom"]}


# -- a change


def test_options_and_house_rules_change_from_here_on(home: Path) -> None:
    assert "From here on the rules are tiny 1; counts is 3 instead of 5: enough of it" in affray("rules", "s", "counts=3", "--house", "", "--reason", "enough of it").stdout
    found = document("rules", "s")
    assert (found["options"], [one["id"] for one in found["plugins"]], found["since"]) == ({"counts": 3}, ["tiny"], HEAD + 1)
    assert affray("undo", "s").exit_code == 0
    assert document("rules", "s")["since"] == 1


def test_a_change_that_is_none_appends_nothing(home: Path) -> None:
    for args in (("counts=5",), ("--accept",), ("--house", "luck")):
        assert said(*args, code=1) == "affray: Those are the rules that are in force already.\n"
    assert document("rules", "s")["version"] == HEAD


def test_a_change_that_is_sent_again_happens_once(home: Path) -> None:
    for repeated in (False, True):
        answer = document("rules", "s", "counts=3", "--id", "r1")
        assert (answer["repeated"], answer["first"], answer["version"]) == (repeated, HEAD + 1, HEAD + 1)
    assert affray("rules", "s", "counts=4", "--house", "").exit_code == 0
    assert document("rules", "s", "counts=3", "--id", "r1")["repeated"] is True, "whatever came in between"
    for args in (("rules", "s", "counts=4"), ("rules", "s", "counts=3", "--reason", "x"), ("note", "s", "x")):
        assert document(*args, "--id", "r1", code=1)["refused"]["code"] == "command-id-used"


@pytest.mark.parametrize(
    ("args", "code", "sentence"),
    [
        (("counts=many",), 2, "affray: $.options.counts: Expected `int`, got `str`\n"),
        (("cuonts=3",), 2, "affray: $.options: Object contains unknown field `cuonts`\n"),
        (("counts",), 2, "affray: Invalid value for OPTION=VALUE: 'counts' is not written as OPTION=VALUE (see 'affray rules --help')\n"),
        (("--bundle", "x"), 2, "affray: $.bundle: tiny has no such bundle; there are: none (got 'x')\n"),
        (("--house", "pluck"), 1, "affray: plugin 'pluck': is not installed; there are luck ('affray plugins' lists what is)\n"),
        (("--as", "ann", "counts=3"), 1, "affray: Only the game master may do that.\n"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(home: Path, args: tuple[str, ...], code: int, sentence: str) -> None:
    assert said(*args, code=code) == sentence
    assert document("rules", "s")["version"] == HEAD


def test_a_rule_of_another_game_is_refused_by_name(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, TINY, LUCK, point("castling", Chess))
    assert "plugin 'castling': is a house rule for chess, go; the session plays tiny" in said("--house", "castling", code=1)


# -- other releases


def test_another_release_is_told_and_accepted(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, system(Newer), point("luck", NewerLuck))
    lines = told(code=1)
    assert lines[1:3] == ["system tiny, release 1: release 2 is installed", "house-rule luck, release 1: release 2 is installed"]
    assert lines[-2].startswith("nothing can be decided until the rules are installed as they are pinned, or others are accepted")
    assert lines[-1].endswith("rules s --accept")
    found = document("rules", "s", code=1)
    assert (found["same"], [one["installed"] for one in found["plugins"]]) == (None, ["2", "2"])

    result = affray("declare", "s", "ann", "end-turn")
    assert (result.exit_code, "release 2 is installed, the session was decided under 1" in result.stderr) == (1, True)
    wanted = "affray: rules: release 2 of tiny is installed, the session has 1; release 2 of luck is installed, the session has 1: say --accept to go on with it\n"
    assert said("counts=3", code=2) == wanted

    assert "From here on the rules are tiny 2 with luck: accepted." in affray("rules", "s", "--accept").stdout
    assert document("rules", "s")["same"] is True
    assert affray("declare", "s", "ann", "end-turn").exit_code == 0


def test_options_that_are_gone_are_left_out_aloud(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, system(Unlike), LUCK)
    assert said("--accept", code=0) == "affray: tiny 3 has no option counts, which is left out\n"
    assert document("rules", "s")["options"] == {"speed": 3}


def test_rules_under_which_somebody_could_not_have_joined_are_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, system(Stranger), LUCK)
    assert said("--accept", code=2) == "affray: rules: ann: has joined without what these rules need: mana\n"
    assert document("rules", "s", code=1)["version"] == HEAD


def test_the_same_release_that_publishes_something_else_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, system(Otherwise), LUCK)
    assert affray("declare", "s", "ann", "end-turn").exit_code == 0, "deciding goes on"
    assert told(code=1)[-2] == (
        "the plugins publish something else than when these rules were pinned, under the same releases; deciding goes on"
    )
    assert document("rules", "s", code=1)["same"] is False
    assert affray("rules", "s", "--accept").exit_code == 0
    assert document("rules", "s")["same"] is True


# -- what is missing


def test_a_house_rule_that_is_missing_can_be_done_without(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, TINY)
    lines = told(code=1)
    assert lines[2] == "house-rule luck, release 1: is not installed; there are none"
    assert lines[-1].startswith("go on without luck: ")
    assert lines[-1].endswith(" rules s --house ''")
    assert said("--accept", code=2) == (
        "affray: rules: plugin 'luck': is not installed; there are none; --house '' goes on without it\n"
    )
    assert affray("rules", "s", "--house", "").exit_code == 0
    assert affray("declare", "s", "ann", "end-turn").exit_code == 0


def test_a_missing_system_leaves_reading(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, LUCK)
    lines = told(code=1)
    assert lines[1] == "system tiny, release 1: is not installed; there are none"
    assert lines[2] == "house-rule luck, release 1: installed", "each for itself"
    assert lines[-1] == "install tiny to go on"
    assert "is not installed" in said("--accept", code=1)
    for command in (("show", "s"), ("log", "s"), ("replay", "s"), ("verify", "s"), ("why", "s", "ann", "hp")):
        assert affray(*command).exit_code == 0, command


def test_an_open_action_is_named_with_what_ends_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert affray("declare", "s", "ann", "attack", "bob", "--id", "a1", *rows()).exit_code == 0
    find_plugins(monkeypatch, system(Newer), LUCK)
    needs = "open: attack of ann (a1) needs the rules of version 1: plugin 'tiny': release 2 is installed, the session was decided under 1"
    assert needs in told(code=1)
    assert document("rules", "s", code=1)["waiting"][0]["problem"] == needs.partition("version 1: ")[2]
    accepted = affray("rules", "s", "--accept")
    assert (accepted.exit_code, needs in accepted.stdout.splitlines()) == (0, True)
    assert affray("answer", "s", "bob", "stand").exit_code == 1
    (end,) = [line.strip() for line in told(code=1) if "end it" in line]
    words = end.partition(" overrule ")[2].replace("TEXT", "gone").split()
    assert affray("overrule", *words).exit_code == 0
    assert told()[-1] == "  counts = 5"
    assert affray("declare", "s", "ann", "end-turn").exit_code == 0


def test_an_open_action_goes_on_under_its_own_rules(home: Path) -> None:
    assert affray("declare", "s", "ann", "attack", "bob", "--id", "a1", *rows()).exit_code == 0
    goes_on = "open: attack of ann (a1) goes on under the rules of version 1"
    assert goes_on in affray("rules", "s", "counts=3").stdout.splitlines()
    assert goes_on in told()
    assert affray("answer", "s", "bob", "stand").exit_code == 0
    assert goes_on not in told()
    audit = affray("audit", "s")
    assert (audit.exit_code, "clean;" in audit.stdout) == (0, True)


def test_play_says_what_is_the_matter(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, system(Newer), LUCK)
    result = affray("play", "s")
    assert (result.exit_code, "release 2 is installed, the session was decided under 1" in result.stderr) == (1, True)


def test_one_rule_twice_is_refused(home: Path) -> None:
    assert "hook registration" in said("--house", "luck,luck", code=1)
