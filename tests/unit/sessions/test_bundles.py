"""Bundles of options: named by a program or an encounter file, listed by `affray plugins`; options files beside an encounter."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

from affray.kernel import Breach, InputError, Json, System, hookimpl
from affray.plugins.exalted.options import BUNDLES
from affray.sessions import Catalog, Engine, MemoryStore, Session
from affray.sessions.encounter import parse_encounter, read_encounter, run_encounter

from ...support.cli import TINY, affray, document, find_plugins
from ...support.table import Fixed, engine, tiny_catalog
from ...support.tiny import Tiny

EXALTED = EntryPoint("exalted", "affray.plugins.exalted:make", "affray.systems")


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    counts: int = 5
    table: dict[str, int] = {}
    word: str = "plain"


class Bundled(Tiny):
    """The tiny system with three options and two bundles of them."""

    bundles: ClassVar[dict[str, dict[str, Json]]] = {"quick": {"counts": 2, "word": "quick"}, "slow": {"counts": 9, "table": {"a": 1}}}

    @hookimpl
    def describe(self) -> System:
        described: System = super().describe()
        return msgspec.structs.replace(described, options=Options, bundles=self.bundles)


BUNDLED = EntryPoint("tiny", f"{__name__}:Bundled", "affray.systems")


def options(session: Session) -> dict[str, Json]:
    """Every option as the log spells it out."""
    return dict(session.manifest.options)


def started(**how: Any) -> dict[str, Json]:
    return options(engine(catalog=tiny_catalog(Bundled)).start("tiny", **how))


# -- in a program


def test_a_bundle_sets_its_options_and_leaves_the_others() -> None:
    assert started(bundle="quick") == {"counts": 2, "table": {}, "word": "quick"}
    assert started(bundle="slow") == {"counts": 9, "table": {"a": 1}, "word": "plain"}
    assert started() == {"counts": 5, "table": {}, "word": "plain"}


def test_options_go_over_a_bundle() -> None:
    assert started(bundle="quick", options={"counts": 7}) == {"counts": 7, "table": {}, "word": "quick"}


def test_a_bundle_that_is_not_there_is_refused_with_those_that_are() -> None:
    store = MemoryStore()
    with pytest.raises(InputError) as refused:
        engine(store, tiny_catalog(Bundled)).start("tiny", bundle="quik", session="s")
    assert (refused.value.path, refused.value.value) == ("$.bundle", "quik")
    assert refused.value.problem == "tiny has no such bundle; there are: quick, slow"
    assert list(store.sessions()) == []


def test_a_system_without_bundles_says_so() -> None:
    with pytest.raises(InputError, match="tiny has no such bundle; there are: none"):
        engine().start("tiny", bundle="quick")


@pytest.mark.parametrize("wrong", [{"counts": "many"}, {"count": 1}, {"counts": 1.5}])
def test_a_bundle_that_is_no_set_of_options_is_the_systems_fault(wrong: dict[str, Json]) -> None:
    plugin = type("Wrong", (Bundled,), {"bundles": {**Bundled.bundles, "odd": wrong}})
    with pytest.raises(Breach) as breach:
        engine(catalog=tiny_catalog(plugin)).start("tiny")
    assert (breach.value.plugin, breach.value.hook) == ("tiny", "describe")
    assert "bundle 'odd'" in breach.value.problem


# -- in an encounter file

HEAD = """
system = "tiny"
"""
PEOPLE = """
[[combatants]]
id = "ann"
side = "a"
sheet = { hp = 5 }
"""


def written(folder: Path, text: str, **files: str) -> Path:
    """An encounter file, and options files beside it (name without its ending -> text)."""
    for name, content in files.items():
        (folder / f"{name}.toml").write_text(content)
    path = folder / "fight.toml"
    path.write_text(HEAD + text + PEOPLE)
    return path


def run(path: Path) -> dict[str, Json]:
    made = Engine(MemoryStore(), tiny_catalog(Bundled), Fixed())
    return options(run_encounter(made, read_encounter(path), where=path.name))


def test_options_come_from_the_bundle_then_the_files_then_the_encounter(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'bundle = "slow"\noptions_files = ["one.toml", "two.toml"]\noptions = { word = "mine" }\n',
        one='counts = 3\nword = "one"\n[table]\nb = 2\n',
        two='counts = 4\nword = "two"\n',
    )
    assert run(path) == {"counts": 4, "table": {"b": 2}, "word": "mine"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('bundle = "quick"\n', {"counts": 2, "table": {}, "word": "quick"}, id="bundle"),
        pytest.param('options_files = ["one.toml"]\n', {"counts": 3, "table": {}, "word": "one"}, id="file"),
        pytest.param('bundle = "quick"\noptions_files = ["two.toml"]\n', {"counts": 4, "table": {}, "word": "quick"}, id="file-over-bundle"),
        pytest.param('options_files = ["two.toml", "one.toml"]\n', {"counts": 3, "table": {}, "word": "one"}, id="later-file"),
        pytest.param('bundle = "quick"\noptions = { counts = 6 }\n', {"counts": 6, "table": {}, "word": "quick"}, id="options-over-bundle"),
        pytest.param('options_files = ["one.toml"]\noptions = { counts = 6 }\n', {"counts": 6, "table": {}, "word": "one"}, id="options-over-file"),
    ],
)
def test_what_comes_later_wins(tmp_path: Path, text: str, expected: dict[str, Json]) -> None:
    assert expected == run(written(tmp_path, text, one='counts = 3\nword = "one"\n', two="counts = 4\n"))


def test_a_file_that_was_read_has_its_options_in_it(tmp_path: Path) -> None:
    encounter = read_encounter(written(tmp_path, 'options_files = ["one.toml"]\noptions = { word = "x" }\n', one="counts = 3\n"))
    assert (encounter.options, encounter.options_files) == ({"counts": 3, "word": "x"}, ())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(
            'bundle = "quik"\n', "fight.toml, $.bundle: tiny has no such bundle; there are: quick, slow (got 'quik')", id="bundle"
        ),
        pytest.param('bundle = 3\n', "fight.toml, $.bundle: Expected `str`, got `int`", id="no-text"),
        pytest.param(
            'options_files = ["sub/one.toml"]\n',
            "fight.toml, $.options_files[0]: must name a file beside this one (got 'sub/one.toml')",
            id="folder",
        ),
        pytest.param(
            'options_files = ["one.toml", "../one.toml"]\n',
            "fight.toml, $.options_files[1]: must name a file beside this one (got '../one.toml')",
            id="above",
        ),
        pytest.param('options_files = [".."]\n', "fight.toml, $.options_files[0]: ", id="dots"),
        pytest.param('options_files = ["."]\n', "fight.toml, $.options_files[0]: must name a file beside this one", id="dot"),
        pytest.param(
            'options_files = ["none.toml"]\n',
            "fight.toml, $.options_files[0]: cannot be read: No such file or directory (got 'none.toml')",
            id="missing",
        ),
        pytest.param('options_files = ["float.toml"]\n', "float.toml, $.table.a: is a float", id="float"),
        pytest.param('options_files = ["broken.toml"]\n', "broken.toml: is not TOML", id="broken"),
        pytest.param('options_files = ["odd.toml"]\n', "fight.toml, $.options", id="unknown-option"),
    ],
)
def test_what_is_refused_names_the_file_and_the_path_in_it(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "sub").mkdir()
    path = written(tmp_path / "sub", text, float="[table]\na = 1.5\n", broken="a = \n", odd="swiftness = 3\n", one="counts = 3\n")
    (tmp_path / "one.toml").write_text("counts = 4\n")
    with pytest.raises(InputError) as refused:
        run(path)
    assert problem in str(refused.value)


def test_an_encounter_that_was_no_file_has_no_files_beside_it() -> None:
    encounter = parse_encounter((HEAD + 'options_files = ["one.toml"]\n' + PEOPLE).encode())
    with pytest.raises(InputError, match=r"\$\.options_files: can be read beside a file only"):
        run_encounter(Engine(MemoryStore(), tiny_catalog(Bundled), Fixed()), encounter)


# -- at the command line


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AFFRAY_HOME", str(tmp_path / "home"))
    return tmp_path


def test_plugins_lists_the_bundles_of_a_system(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, EXALTED, TINY)
    exalted, tiny = document("plugins")
    assert (exalted["id"], exalted["bundles"]) == ("exalted", list(BUNDLES))
    assert (tiny["id"], tiny["bundles"]) == ("tiny", [])
    said = affray("plugins").stdout.splitlines()
    assert f"  bundles of options: {', '.join(BUNDLES)}" == said[1]
    assert len(said) == 3


def test_an_encounter_under_a_bundle_is_run(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, EXALTED)
    path = home / "fight.toml"
    path.write_text(
        'system = "exalted"\nbundle = "rolled-stunts"\noptions_files = ["ours.toml"]\n'
        '[[combatants]]\nid = "ann"\nside = "a"\nsheet = { being = "solar" }\n'
    )
    (home / "ours.toml").write_text("set_charms = true\n")
    assert affray("run", path, "--session", "mine").exit_code == 0
    first = next(iter(affray("log", "mine", "--json", "--for", "gm").stdout.splitlines()))
    manifest = msgspec.json.decode(first)["event"]["manifest"]
    told = {name: manifest["options"][name] for name in ("stunt_mode", "virtue_mode", "wound_mode", "set_charms")}
    assert told == {"stunt_mode": "rolled", "virtue_mode": "rolled", "wound_mode": "half", "set_charms": True}
    (home / "ours.toml").unlink()
    refused = affray("run", path)
    assert (refused.exit_code, "ours.toml" in refused.stderr) == (2, True)


def test_every_bundle_of_the_systems_that_come_along_is_a_set_of_its_options() -> None:
    found = Catalog()
    for offer in found.offers():
        if offer.group != "affray.systems":
            continue
        for bundle in found.describe(offer.id).bundles:
            manifest = found.manifest(offer.id, {}, (), bundle)
            assert found.rules(manifest).system.id == offer.id
