"""`affray sheet`: what follows from a sheet, in text and JSON, of both kinds of file, and how it ends."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from affray.kernel import Derived, Row, hookimpl
from affray.sessions.cli.sheet import Told, lines
from affray.sessions.views.texts import Texts

from ...docs.test_commands import compare
from ...support.cli import TINY, affray, document, find_plugins
from ...support.tiny import Options, Sheet, Tiny


class Deriving(Tiny):
    """The tiny system, telling two values that follow from a sheet."""

    @hookimpl
    def derive(self, sheet: Sheet, options: Options) -> list[Derived]:
        rows = (Row("hp", sheet.hp, "sheet"), Row("tiny", -2, "tiny"))
        ease = Derived(code="ease", value=sheet.temp, trace=(Row("pinned", sheet.temp, "she said so"),))
        return [Derived(code="toughness", value=sheet.hp - 2, trace=rows), *([ease] if sheet.temp else [])]


DERIVING = EntryPoint("tiny", f"{Deriving.__module__}:Deriving", "affray.systems")

ONE = 'system = "tiny"\nname = "Ann"\n[sheet]\nhp = 12\ntemp = 30\n'

FIGHT = """
system = "tiny"
[[combatants]]
id = "ann"
name = "Ann"
side = "red"
sheet = { hp = 12 }
[[combatants]]
id = "bob"
side = "blue"
sheet = { hp = 7, temp = 3 }
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AFFRAY_HOME", str(tmp_path / "home"))
    find_plugins(monkeypatch, DERIVING)
    return tmp_path


def write(home: Path, text: str, name: str = "ann.toml") -> Path:
    path = home / name
    path.write_text(text)
    return path


def test_one_sheet_is_told_with_the_sums_it_comes_from(home: Path) -> None:
    result = affray("sheet", write(home, ONE))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "Ann",
        "  toughness  10  = 12 (hp) - 2 (tiny)",
        "  ease       30  = 30 (pinned: she said so)",
    ]


def test_every_combatant_of_an_encounter_is_told(home: Path) -> None:
    result = affray("sheet", write(home, FIGHT))
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "Ann",
        "  toughness  10  = 12 (hp) - 2 (tiny)",
        "",
        "bob",
        "  toughness  5  = 7 (hp) - 2 (tiny)",
        "  ease       3  = 3 (pinned: she said so)",
    ]


def test_a_sheet_without_a_name_is_called_as_its_file(home: Path) -> None:
    path = write(home, ONE.replace('name = "Ann"\n', ""), "goblin.toml")
    assert affray("sheet", path).stdout.splitlines()[0] == "goblin"


def test_the_document_has_every_row(home: Path) -> None:
    path = write(home, FIGHT)
    printed = document("sheet", path)
    assert (printed["file"], printed["system"], printed["release"]) == (str(path), "tiny", "1")
    assert [(sheet["id"], sheet["name"]) for sheet in printed["sheets"]] == [("ann", "Ann"), ("bob", "bob")]
    assert printed["sheets"][0]["values"] == [
        {"code": "toughness", "value": 10, "trace": [["hp", 12, "sheet"], ["tiny", -2, "tiny"]]}
    ]
    assert document("sheet", write(home, ONE))["sheets"][0]["id"] == ""
    compare("sheet", printed)


def test_nothing_is_stored(home: Path) -> None:
    affray("sheet", write(home, FIGHT))
    assert not (home / "home").exists()


def test_a_system_that_derives_nothing_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, TINY)
    result = affray("sheet", write(home, ONE))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "affray: tiny tells no value that follows from a sheet; the sheets are in order\n"
    printed = document("sheet", write(home, ONE), code=1)
    assert printed["sheets"] == [{"id": "", "name": "Ann", "values": []}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('system = "tiny"\n', "ann.toml, $: holds neither [[combatants]] nor a [sheet]"),
        ('system = "tiny"\nsheet = { hp = 1.5 }\n', "ann.toml, $.sheet.hp: is a float"),
        ('system = "tiny"\nluck = 1\nsheet = { hp = 1 }\n', "ann.toml, $: Object contains unknown field `luck`"),
        ('sheet = { hp = 1 }\n', "ann.toml, $: Object missing required field `system`"),
        ('system = "tiny"\nsheet = 3\n', "ann.toml, $.sheet: Expected `object`"),
        ('system = "tiny"\nname = "\\u0000"\nsheet = { hp = 1 }\nbundle = "x"\n', "ann.toml, "),
        ('system = "tiny"\nsheet = { hp = 0 }\n', "ann.toml, $.sheet.hp: must be above 0"),
        ('system = "tiny"\nsheet = { luck = 0 }\n', "ann.toml, $.sheet: "),
        ('system = "tiny"\nbundle = "big"\nsheet = { hp = 1 }\n', "ann.toml, $.bundle: tiny has no such bundle"),
        ('system = "tiny"\noptions = { counts = "x" }\nsheet = { hp = 1 }\n', "ann.toml, $.options.counts: "),
        ('system = "tiny"\noptions_files = ["none.toml"]\nsheet = { hp = 1 }\n', "ann.toml, $.options_files[0]: cannot be read"),
        (FIGHT.replace("hp = 7", "hp = 0"), "ann.toml, $.combatants[1].sheet.hp: must be above 0"),
        (FIGHT.replace('side = "red"', ""), "ann.toml, $.combatants[0]: "),
        ("system =", "ann.toml: is not TOML"),
    ],
)
def test_what_cannot_be_read_is_misuse_and_says_where(home: Path, text: str, said: str) -> None:
    result = affray("sheet", write(home, text))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"affray: {said}")
    assert len(result.stderr.splitlines()) == 1


def test_no_such_file_and_no_such_system(home: Path) -> None:
    result = affray("sheet", home / "nobody.toml")
    assert (result.exit_code, "No such file" in result.stderr) == (2, True)
    result = affray("sheet", write(home, ONE.replace("tiny", "chess")))
    assert result.exit_code == 1
    assert "chess" in result.stderr


def test_options_of_a_file_beside_it_count(home: Path) -> None:
    write(home, "counts = 3\n", "more.toml")
    assert affray("sheet", write(home, 'options_files = ["more.toml"]\n' + ONE)).exit_code == 0
    write(home, 'counts = "x"\n', "more.toml")
    assert affray("sheet", write(home, 'options_files = ["more.toml"]\n' + ONE)).exit_code == 2


def test_words_are_the_systems_and_nothing_of_a_sheet_reaches_the_terminal() -> None:
    rows = (Row("hp", 3, "sheet"), Row("odd", "-1/2", "a\x1b[2Jb"))
    told = Told(id="", name="A\x1b[2J", values=(Derived(code="x", value="5/2", trace=rows), Derived(code="y", value=0, trace=())))
    texts = Texts({"value.x": "the x", "row.hp": "hit points"})
    assert list(lines((told,), texts)) == [
        "A\\x1b[2J",
        "  the x  5/2  = 3 (hit points) - 1/2 (odd: a\\x1b[2Jb)",
        "  y        0",
    ]
