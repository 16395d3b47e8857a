"""The system's README: its sample, its tables and the names it gives are what the code has."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec

from affray.plugins import primer
from affray.plugins.primer.actions import PARAMS
from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.pack import Pack
from affray.plugins.primer.places import PLACES
from affray.plugins.primer.sample_pack import SAMPLE_PACK
from affray.plugins.primer.sheet import BACKGROUND
from affray.plugins.primer.tables import AWARENESS, DIFFICULTIES
from affray.plugins.primer.traits import RANKS

from ...golden.primer_readings import TABLE
from ...support.table import must
from .table import Table

FOLDER = Path(primer.__file__).parent
TEXT = (FOLDER / "README.md").read_text("utf-8")


def section(begin: str, end: str) -> str:
    return TEXT.partition(f"\n{begin}\n")[2].partition(f"\n{end}\n")[0]


def first_cells(text: str) -> list[str]:
    return [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| `")]


def test_the_sample_is_a_sheet_and_fights() -> None:
    (sample,) = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    table = Table(6, 5, 6, 5, options={"pack": SAMPLE_PACK})
    for who, side in (("ann", "red"), ("bob", "blue")):
        must(table.session.join(who, side=side, sheet=json.loads(sample), controller=who))
    table.begin()
    assert table.asked == [("ann", "react")]
    table.answer("sword", "sword")
    assert table.turn == "ann"
    assert table.attack("ann", "bob", weapon="sword") is None


def test_the_options_and_their_defaults() -> None:
    text = section("## Options", "## Readings")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `")]
    told = {row[0].strip("`"): row[1].strip("`") for row in rows}
    defaults = {name: str(value).replace("False", "false").replace("True", "true") for name, value in msgspec.structs.asdict(PrimerOptions()).items()}
    assert told == {**defaults, "pack": "nothing"}
    types = {field.name: msgspec.inspect.type_info(field.type) for field in msgspec.structs.fields(PrimerOptions)}
    for name, _, others, number in rows:
        kind = types[name.strip("`")]
        if isinstance(kind, msgspec.inspect.LiteralType):
            assert {told[name.strip("`")], *others.replace("`", "").split(", ")} == {*map(str, kind.values)}
        assert number.startswith("P-") or name == "`pack`"


def test_the_actions_and_their_parameters() -> None:
    text = section("### Actions", "### What stands in the log")
    assert [re.findall(r"`([\w-]+)`", cell)[0] for cell in first_cells(text)] == [*PARAMS]
    for line in text.splitlines():
        if not line.startswith("| `"):
            continue
        name = re.findall(r"`([\w-]+)`", line)[0]
        own = [field for field in fields_of(name) if field not in ("speed", "ap_sold", "ap_bought")]
        assert [field for field in own if f"`{field}`" not in line] == [], name
    assert [word for word in (*AWARENESS, *DIFFICULTIES) if f"`{word}`" not in text] == []


def fields_of(action: str) -> list[str]:
    return [field.name for field in msgspec.structs.fields(PARAMS[action])]


def test_the_keys_of_a_pack() -> None:
    text = section("## Data packs", "## Options")
    named = {name for cell in first_cells(text) for name in re.findall(r"`(\w+)`", cell)}
    assert named == {*Pack.__struct_fields__}


def test_the_skills_of_the_background() -> None:
    text = section("## Sheet", "## Data packs")
    assert [name for name in sorted(BACKGROUND) if f"`{name}`" not in text] == ["Sorcery_Aptitude"]
    assert RANKS <= BACKGROUND


def test_the_places() -> None:
    text = section("## For house rules", "the end")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    assert {place.strip("`"): what for place, what in rows} == PLACES


def test_the_readings_are_those_of_the_code() -> None:
    """`python -m tests.golden.primer_readings` writes them."""
    assert TABLE.text() == TABLE.in_readme()


def test_every_file_it_names_is_there() -> None:
    named = {*re.findall(r"`(\w+\.py)`", TEXT), *re.findall(r"\]\((\S+\.\w+)\)", TEXT)}
    assert "hits.py" in named
    assert [name for name in sorted(named) if not (FOLDER / name).exists()] == []
