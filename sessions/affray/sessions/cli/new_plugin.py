"""`affray new-plugin`: write a small distribution with a plugin that works, to begin from."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import keyword
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click
import msgspec

from affray.kernel import InputError, limits
from affray.kernel.testing import valid_sheets

from ..catalog import Catalog
from ..encounter import Encounter
from ..encounter_file import Combatant
from .demo import find_demo
from .printing import print_json
from .reader import json_option
from .templates import filled, toml_value

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)
"""Names of new plugins: as PEP 503 writes the name of a distribution, so that they are one name in every place."""

DISTRIBUTION = re.compile(r"[A-Z0-9]|[A-Z0-9][A-Z0-9._-]*[A-Z0-9]", re.ASCII | re.IGNORECASE)
"""Names of distributions (PEP 508)."""

CLAIMED = frozenset({"affray", "kernel", "plugins", "sessions", "tests", "test"})
"""Names that nobody's distribution should have."""


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """The document of `new-plugin --json`: the folder, and the files in it."""

    plugin: str
    kind: str
    over: str
    folder: str
    files: tuple[str, ...]


@click.command("new-plugin")
@click.argument("name")
@click.option("--house-rule", is_flag=True, help="Write a house rule; it needs --over.")
@click.option("--over", metavar="SYSTEM", default="", help="The rules system that the house rule is for.")
@click.option("--into", type=click.Path(path_type=Path), default=Path(), help="The folder it is put in (default: here).")
@json_option
def command(name: str, house_rule: bool, over: str, into: Path, as_json: bool) -> int:
    """Write a distribution NAME with a rules system in it, or a house rule: code, a test, a fight, a README.

    It installs with pip, passes its own tests and plays at once.
    """
    if house_rule != bool(over):
        raise click.UsageError("--house-rule and --over SYSTEM go together")
    catalog = Catalog()
    module = check_name(name, catalog)
    values = {"name": name, "module": module, "class_name": _camel(name), "title": name.replace("-", " ").title(), "affray": _release()}
    texts = house_rule_texts(values, over, catalog) if house_rule else system_texts(values)
    folder = write(texts, into, name)
    document = Written(
        plugin=name, kind="house-rule" if house_rule else "system", over=over, folder=str(folder), files=tuple(sorted(texts))
    )
    if as_json:
        print_json(document)
        return 0
    click.echo(f"wrote {folder}")
    for path in document.files:
        click.echo(f"  {path}")
    click.echo("Try next, in that folder:")
    check = f"check-plugin {name}{f' --over {over}' if over else ''}"
    for line in ("pip install -e '.[test]'", "python -m pytest", "affray run fight.toml", f"affray {check}"):
        click.echo(f"  {line}")
    return 0


def check_name(name: str, catalog: Catalog) -> str:
    """The module's name for a plugin's name. Raises InputError that says what would be right."""

    def wrong(problem: str) -> InputError:
        return InputError(problem, path="NAME", value=name)

    if not NAME.fullmatch(name):
        usual = re.sub(r"[-_.]+", "-", name).lower()
        hint = f"; write {usual}" if DISTRIBUTION.fullmatch(name) and NAME.fullmatch(usual) else ""
        raise wrong(f"a plugin's name is small ASCII letters and digits with single hyphens, a letter first{hint}")
    if len(name) > limits.ID_LENGTH:
        raise wrong(f"has {len(name)} characters, more than {limits.ID_LENGTH}")
    module = name.replace("-", "_")
    if keyword.iskeyword(module) or keyword.issoftkeyword(module):
        raise wrong("is a word of Python's own, so no module can have that name")
    if module in sys.stdlib_module_names or name in CLAIMED:
        raise wrong("is the name of something else already: a module of Python or a part of Affray")
    for offer in catalog.offers():
        if offer.id.casefold() == name:
            source = f" ({offer.distribution} {offer.version})" if offer.distribution else ""
            raise wrong(f"a plugin of that name is installed already{source}")
    if _is_installed(name) or _is_importable(module):
        raise wrong("a distribution or module of that name is installed already")
    return module


def _is_installed(name: str) -> bool:
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _is_importable(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _camel(name: str) -> str:
    return "".join([part.capitalize() for part in name.split("-")])


def _release() -> str:
    try:
        return importlib.metadata.version("affray")
    except importlib.metadata.PackageNotFoundError:
        return "0"


# -- what is written


def system_texts(values: Mapping[str, str]) -> dict[str, str]:
    """The files of a rules system, by their paths."""
    return {
        "pyproject.toml": filled("system", "pyproject.toml", values),
        "README.md": filled("system", "README.md", values),
        "fight.toml": filled("system", "fight.toml", values),
        f"{values['module']}/__init__.py": filled("system", "rules.py", values),
        f"{values['module']}/py.typed": "",
        f"tests/test_{values['module']}.py": filled("system", "test.py", values),
    }


def house_rule_texts(names: Mapping[str, str], over: str, catalog: Catalog) -> dict[str, str]:
    """The files of a house rule over a system: a row at its first place, or what follows on damage where it has none.

    Raises PluginUnavailable, InputError where nobody can be made to fight under the system.
    """
    described = catalog.describe(over)
    hook = "contribute" if described.places else "follow"
    place = next(iter(described.places), "")
    does = f"one more at `{place}`." if place else "whoever is hurt is marked."
    values = {
        **names,
        "over": over,
        "does": does[0].upper() + does[1:],
        "place": place,
        "what": described.places.get(place, "").rstrip("."),
        "words": names["name"].replace("-", " "),
        "hook": hook,
    }
    return {
        "pyproject.toml": filled("house_rule", "pyproject.toml", values),
        "README.md": filled("house_rule", "README.md", values),
        "fight.toml": _fight(names["name"], over, catalog),
        f"{names['module']}/__init__.py": filled("house_rule", f"{hook}.py", values),
        f"{names['module']}/py.typed": "",
        f"tests/test_{names['module']}.py": filled("house_rule", "test.py", values),
    }


def _fight(name: str, over: str, catalog: Catalog) -> str:
    """A fight of the people of the system's demo, or of people made for it."""
    encounter = _people(over, catalog)
    lines = [
        f"# A fight under {over} with the house rule {name}: `affray run fight.toml`, or `affray play fight.toml` to play it yourself.",
        "",
        f"system = {toml_value(over)}",
        f"house = [{toml_value(name)}]",
        'title = "The first fight"',
        *([f"bundle = {toml_value(encounter.bundle)}"] if encounter.bundle else []),
        *([f"options = {toml_value(encounter.options)}"] if encounter.options else []),
        'auto = "first"',
        "commands = 60",
    ]
    for one in encounter.combatants:
        lines += [
            "",
            "[[combatants]]",
            f"id = {toml_value(one.id)}",
            f"name = {toml_value(one.name or one.id)}",
            f"side = {toml_value(one.side)}",
            f"controller = {toml_value(one.controller)}",
            f"sheet = {toml_value(one.sheet)}",
        ]
    return "\n".join(lines) + "\n"


def _people(over: str, catalog: Catalog) -> Encounter:
    try:
        return find_demo(over)[1]
    except InputError:
        sheets = list(valid_sheets(catalog.bare(over), "new-plugin", 2))
    if len(sheets) < 2:
        raise InputError("nobody can be made for a fight under it: no sheet of its type is valid", path="--over", value=over)
    people = [
        Combatant(id=who, name=who.title(), side=side, controller=who, sheet=sheet)
        for (who, side), sheet in zip((("ann", "red"), ("bob", "blue")), sheets, strict=True)
    ]
    return Encounter(system=over, combatants=tuple(people))


def write(texts: Mapping[str, str], into: Path, name: str) -> Path:
    """Write the files into a new folder, all or none. Raises InputError for a folder that exists, OSError."""
    folder = into / name
    if folder.exists() or folder.is_symlink():
        raise InputError("exists already, and nothing in it is touched", path=str(folder))
    if not into.is_dir():
        raise InputError("is no folder to put it in", path=str(into))
    made = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=into))
    try:
        made.chmod(0o755)
        for path, text in texts.items():
            (made / path).parent.mkdir(parents=True, exist_ok=True)
            (made / path).write_text(text, "utf-8", newline="\n")
        made.rename(folder)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return folder


__all__ = ["check_name", "command", "house_rule_texts", "system_texts", "write"]
