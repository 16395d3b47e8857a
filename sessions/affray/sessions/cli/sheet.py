"""`affray sheet`: every value that follows from a sheet, and why.

FILE is an encounter file, of which every combatant's sheet is read, or a file that holds one sheet: `system`, `[sheet]`,
and beside them `name`, `bundle`, `options_files`, `options`, `house` as an encounter file has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from affray.kernel import Derived, InputError, Json, Row, RuleSet, check_text

from ..catalog import Catalog
from ..encounter import with_path
from ..encounter_file import Combatant, Encounter, in_file, options_beside, read_encounter, read_table
from ..views.texts import Texts, columns, printable
from .failures import FOUND
from .printing import Page, print_json
from .reader import json_option

ENGLISH = "en"

_CODE = re.compile(r"[\w.:-]*", re.ASCII)
"""What names a plugin, a sheet or a roll; other sources of a row are somebody's own words."""


class SheetFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file that holds one sheet."""

    system: str
    sheet: dict[str, Json]
    name: str = ""
    bundle: str = ""
    options_files: tuple[str, ...] = ()
    options: dict[str, Json] = {}
    house: tuple[str, ...] = ()


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """One sheet of `sheet --json`. `id` is the combatant's, "" in a file that holds one sheet."""

    id: str
    name: str
    values: tuple[Derived, ...]


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """The document of `sheet --json`."""

    file: str
    system: str
    release: str
    sheets: tuple[Told, ...]


@click.command("sheet")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def command(file: Path, as_json: bool) -> int:
    """Print every value that follows from a sheet in FILE (TOML), and why.

    FILE is an encounter file, or holds one [sheet]: sessions/COMMANDS.md tells the keys. The exit code is 1 where the rules
    system has nothing that follows from a sheet.
    """
    written, is_one = read(file)
    try:
        catalog = Catalog()
        rules = catalog.rules(catalog.manifest(written.system, written.options, written.house, written.bundle))
        sheets = tuple(_told(rules, written, is_one))
    except InputError as error:
        raise in_file(error, file.name) from None
    if as_json:
        print_json(Document(file=str(file), system=written.system, release=rules.system.release, sheets=sheets))
    elif any(sheet.values for sheet in sheets):
        Page().rows(lines(sheets, Texts(rules.texts(ENGLISH))))
    if not any(sheet.values for sheet in sheets):
        click.echo(f"affray: {written.system} tells no value that follows from a sheet; the sheets are in order", err=True)
        return FOUND
    return 0


def read(file: Path) -> tuple[Encounter, bool]:
    """Read a file of either kind, and tell whether it holds one sheet alone. Raises OSError, InputError with file and path."""
    raw = read_table(file)
    if "combatants" in raw:
        return read_encounter(file), False
    if "sheet" not in raw:
        raise in_file(InputError("holds neither [[combatants]] nor a [sheet]"), file.name)
    try:
        one = msgspec.convert(raw, SheetFile)
        check_text(one.name, "$.name", empty=True)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at `")
        raise in_file(InputError(problem, path=place.rstrip("`") or "$"), file.name) from None
    except InputError as error:
        raise in_file(error, file.name) from None
    options = {**options_beside(file, one.options_files), **one.options}
    alone = Combatant(id="sheet", side="sheet", name=one.name or file.stem, sheet=one.sheet)
    return Encounter(system=one.system, combatants=(alone,), bundle=one.bundle, options=options, house=one.house), True


def _told(rules: RuleSet, written: Encounter, is_one: bool) -> Iterator[Told]:
    """Check every sheet as joining does, and derive what follows from it."""
    for index, one in enumerate(written.combatants):
        path = "$.sheet" if is_one else f"$.combatants[{index}].sheet"
        sheet = with_path(path, rules.read_sheet, one.sheet)
        with_path(path, rules.pools, sheet)
        values = with_path(path, rules.derive, sheet)
        yield Told(id="" if is_one else one.id, name=one.name or one.id, values=values)


def lines(sheets: tuple[Told, ...], texts: Texts) -> Iterator[str]:
    """The sheets as text: a line a value, with the sum it comes from."""
    for index, sheet in enumerate(sheets):
        if index:
            yield ""
        yield printable(sheet.name)
        codes = [texts.word(one.code, "value") for one in sheet.values]
        first = max([columns(code) for code in codes], default=0)
        second = max([columns(str(one.value)) for one in sheet.values], default=0)
        for code, one in zip(codes, sheet.values, strict=True):
            blank, value = " " * (first - columns(code)), str(one.value)
            yield f"  {code}{blank}  {' ' * (second - columns(value))}{value}  {_sum(one.trace, texts)}".rstrip()


def _sum(rows: tuple[Row, ...], texts: Texts) -> str:
    """Rows as a sum; a source in somebody's own words stands behind its row."""
    text = ""
    for row in rows:
        amount = str(row.amount)
        label = texts.word(row.code, "row") + ("" if _CODE.fullmatch(row.source) else f": {printable(row.source)}")
        sign = "-" if amount.startswith("-") else "+" if text else "="
        joined = f"{text} {sign} " if text else "= -" if sign == "-" else "= "
        text = f"{joined}{amount.removeprefix('-')} ({label})"
    return text


__all__ = ["Document", "SheetFile", "Told", "command", "lines", "read"]
