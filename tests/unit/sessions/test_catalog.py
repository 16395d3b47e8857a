"""The catalog over real distributions in a folder: doubled names, broken imports, other releases (PLUG-1, PLUG-3)."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import EntryPoint, distributions
from pathlib import Path
from typing import Any

import pytest

from affray.kernel import GM, Breach, InputError, PluginUnavailable, Roll, System, canonical, hookimpl
from affray.sessions import Catalog, Engine, MemoryStore, Session

from ...support.table import Fixed, engine, must, play, tiny_catalog, tiny_session
from ...support.tiny import Options, Tiny

SYSTEM, HOUSE = "affray.systems", "affray.house_rules"
GOOD = "from tests.support.tiny import Tiny\n\ndef make():\n    return Tiny()\n"


class Site:
    """A site-packages folder to which distributions can be added."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0

    def add(self, distribution: str, version: str, points: dict[str, str], code: str = GOOD, group: str = SYSTEM) -> None:
        """A distribution whose points all lie in one module of its own."""
        self.count += 1
        module = f"plug_{self.folder.name}_{self.count}"
        (self.folder / f"{module}.py").write_text(code)
        info = self.folder / f"{distribution}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        lines = [f"[{group}]", *[f"{name} = {module}:{factory}" for name, factory in points.items()]]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")

    def points(self) -> list[EntryPoint]:
        found = distributions(path=[str(self.folder)])
        return [point for dist in found for point in dist.entry_points if point.group in (SYSTEM, HOUSE)]

    def imported(self) -> set[str]:
        return {name for name in sys.modules if name.startswith(f"plug_{self.folder.name}_")}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    folder = tmp_path / f"site{abs(hash(tmp_path))}"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    made = Site(folder)
    yield made
    for name in made.imported():
        del sys.modules[name]


def problems(catalog: Catalog) -> dict[tuple[str, str], str]:
    return {(offer.id, offer.distribution): offer.problem for offer in catalog.offers(load=True)}


def both_ways(points: Iterable[EntryPoint]) -> list[list[EntryPoint]]:
    listed = list(points)
    return [listed, listed[::-1]]


def test_a_plugin_is_found_pinned_and_imported_only_when_it_is_named(site: Site) -> None:
    site.add("affray-tiny", "3.1", {"tiny": "make"})
    site.add("affray-slow", "1", {"slow": "make"}, "import time\ntime.sleep(20)\n")
    catalog = Catalog(points=site.points())
    assert site.imported() == set()
    assert [(o.group, o.id, o.distribution, o.version, o.problem) for o in catalog.offers()] == [
        (SYSTEM, "slow", "affray-slow", "1", ""),
        (SYSTEM, "tiny", "affray-tiny", "3.1", ""),
    ]
    session = Engine(MemoryStore(), catalog, Fixed()).start("tiny", session="s")
    pin = session.manifest.system
    assert (pin.id, pin.distribution, pin.release) == ("tiny", "affray-tiny", "1")
    assert session.manifest.options == {"counts": 5}
    assert len(site.imported()) == 1


def test_a_name_of_two_distributions_is_refused_with_both_and_others_work(site: Site) -> None:
    """PLUG-1 (a): no loser vanishes without a word, and the order in which they are found decides nothing."""
    site.add("one", "1.0", {"tiny": "make"})
    site.add("two", "2.0", {"tiny": "make"})
    site.add("good", "1", {"other": "make"}, GOOD.replace("Tiny()", "Other()") + OTHER)
    for points in both_ways(site.points()):
        catalog = Catalog(points=points)
        with pytest.raises(PluginUnavailable, match=r"more than once: one 1\.0 \(tiny = .*\), two 2\.0 \(tiny = "):
            catalog.describe("tiny")
        assert catalog.describe("other").title == "Other"
        found = problems(catalog)
        assert {key for key, problem in found.items() if problem} == {("tiny", "one"), ("tiny", "two")}


OTHER = """
from affray.kernel import System, hookimpl

class Other(Tiny):
    @hookimpl
    def describe(self):
        base = super().describe()
        return System(id="other", release="1", title="Other", options=base.options, actions=base.actions)
"""


def test_one_distribution_seen_twice_counts_once(site: Site) -> None:
    """PLUG-1 (b): lib and lib64 are one folder."""
    site.add("one", "1.0", {"tiny": "make"})
    catalog = Catalog(points=[*site.points(), *site.points()])
    assert catalog.describe("tiny").id == "tiny"
    assert len(catalog.offers()) == 1


def test_names_that_differ_in_case_are_one_name(site: Site) -> None:
    """PLUG-1 (c): no file system and no person can tell them apart for sure."""
    site.add("one", "1.0", {"Tiny": "make"})
    site.add("two", "2.0", {"tiny": "make"})
    for points in both_ways(site.points()):
        for name in ("tiny", "Tiny"):
            with pytest.raises(PluginUnavailable, match=r"one 1\.0 \(Tiny = .*two 2\.0 \(tiny = "):
                Catalog(points=points).describe(name)


def test_a_name_is_not_found_under_another_case(site: Site) -> None:
    site.add("one", "1.0", {"tiny": "make"})
    with pytest.raises(PluginUnavailable, match="is not installed; there are tiny"):
        Catalog(points=site.points()).describe("TINY")


def test_a_built_in_and_an_installed_plugin_of_one_name_are_refused(site: Site) -> None:
    """PLUG-1 (d)."""
    site.add("one", "1.0", {"tiny": "make"})
    with pytest.raises(PluginUnavailable, match=r"given by hand and also installed: .*one 1\.0"):
        Catalog(systems={"tiny": Tiny}, points=site.points()).describe("tiny")


def test_one_name_may_be_a_system_and_a_house_rule(site: Site) -> None:
    site.add("one", "1.0", {"tiny": "make"})
    site.add("two", "1.0", {"tiny": "make"}, "class Rule:\n    pass\n\ndef make():\n    return Rule()\n", HOUSE)
    catalog = Catalog(points=site.points())
    assert catalog.describe("tiny").id == "tiny"
    with pytest.raises(Breach, match="registration"):  # but not in one manifest, where names are told apart
        catalog.rules(catalog.manifest("tiny", {}, ["tiny"]))


BROKEN = {
    "import": ("import no_such_module_anywhere\n", "No module named 'no_such_module_anywhere'"),
    "syntax": ("def make(:\n", "SyntaxError"),
    "exit": ("import sys\nsys.exit(3)\n", "SystemExit(3)"),
    "absent": ("", "has no attribute 'make'"),
    "raising": ("def make():\n    raise ValueError('no')\n", "ValueError('no')"),
    "quitting": ("def make():\n    raise SystemExit\n", "SystemExit()"),
    "forgetful": ("def make():\n    pass\n", "its factory returned None"),
}


def test_what_cannot_be_loaded_is_listed_with_its_cause_and_hinders_nobody(site: Site) -> None:
    """PLUG-3: the server starts, each failure has a cause, the session that needs none of them works."""
    site.add("good", "1", {"tiny": "make"})
    for name, (code, _) in BROKEN.items():
        site.add(f"bad-{name}", "1", {name: "make"}, code)
    catalog = Catalog(points=site.points())
    found = problems(catalog)
    for name, (_, cause) in BROKEN.items():
        assert cause in found[name, f"bad-{name}"]
        with pytest.raises(PluginUnavailable) as error:
            Engine(MemoryStore(), catalog, Fixed()).start(name)
        assert (error.value.plugin, cause in error.value.problem) == (name, True)
    assert found["tiny", "good"] == ""
    assert tiny_session(Engine(MemoryStore(), catalog, Fixed())).state().turn == "ann"


def faces(session: Session) -> list[Any]:
    return [recorded.event.faces for recorded in session.history(reader=GM) if isinstance(recorded.event, Roll)]


def test_a_rude_import_changes_neither_dice_nor_bytes(site: Site) -> None:
    """PLUG-3: the engine has its own generator and its own encoder."""
    rude = "import json, random\nrandom.seed(1)\nrandom.random = lambda: 0\njson.JSONEncoder.encode = lambda *a: 'rude'\n"
    site.add("rude", "1", {"tiny": "make"}, rude + GOOD)
    plain = tiny_session()
    play(plain)
    state, encode, draw = random.getstate(), json.JSONEncoder.encode, random.random
    try:
        session = tiny_session(Engine(MemoryStore(), Catalog(points=site.points()), Fixed()))
        play(session)
    finally:
        random.setstate(state)
        json.JSONEncoder.encode, random.random = encode, draw  # type: ignore[method-assign]
    assert faces(plain) == faces(session)
    assert [canonical(r.event) for r in plain.history(1)] == [canonical(r.event) for r in session.history(1)]


# -- releases


class Newer(Tiny):
    @hookimpl
    def describe(self) -> System:
        return System(id="tiny", release="2", title="Tiny", options=Options, actions=super().describe().actions)


def released(release: str) -> Callable[[], object]:
    class Rule:
        pass

    rule = Rule()
    rule.release = release  # type: ignore[attr-defined]
    return lambda: rule


def test_another_release_is_read_and_not_decided_upon() -> None:
    store = MemoryStore()
    session = tiny_session(engine(store))
    must(session.declare("ann", "attack", "bob", id="a1"))
    newer = engine(store, tiny_catalog(Newer), seed="x").load("s")
    before = newer.head
    with pytest.raises(PluginUnavailable, match="release 2 is installed, the session was decided under 1"):
        newer.declare("bob", "end-turn")
    with pytest.raises(PluginUnavailable):
        newer.actions("bob")
    assert (newer.head, newer.state(reader=GM)) == (before, session.state(reader=GM))
    must(newer.note("the rules have moved on"))


def test_also_of_a_house_rule() -> None:
    store = MemoryStore()
    tiny_session(engine(store, tiny_catalog(grim=released("7"))), house=["grim"])
    assert engine(store, tiny_catalog(grim=released("7"))).load("s").actions("ann")
    other = engine(store, tiny_catalog(grim=released("8"))).load("s")
    with pytest.raises(PluginUnavailable, match="'grim': release 8 is installed, the session was decided under 7"):
        other.end_turn("ann")
    gone = engine(store).load("s")
    with pytest.raises(PluginUnavailable, match="'grim': is not installed"):
        gone.end_turn("ann")


def test_rules_are_built_once_for_one_manifest() -> None:
    catalog = tiny_catalog(grim=released("1"))
    plain, again = catalog.rules(catalog.manifest("tiny", {}, [])), catalog.rules(catalog.manifest("tiny", {}, []))
    assert plain is again
    others = [catalog.manifest("tiny", {"counts": 3}, []), catalog.manifest("tiny", {}, ["grim"])]
    assert len({catalog.rules(manifest) for manifest in others} | {plain}) == 3
    assert len({rules.fingerprint for rules in [plain, *map(catalog.rules, others)]}) == 3


# -- what a system says of itself


def named(**how: Any) -> Callable[[], object]:
    class Named(Tiny):
        @hookimpl
        def describe(self) -> Any:
            if "raises" in how:
                raise how["raises"]
            return how["returns"]

    return Named


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ({"returns": None}, "returned None, not a System"),
        ({"returns": {"id": "tiny"}}, "not a System"),
        ({"returns": System(id="huge", release="1", title="", actions={})}, "calls itself 'huge'"),
        ({"raises": ValueError("no")}, "raised ValueError"),
    ],
)
def test_a_system_that_cannot_describe_itself_is_a_breach(how: dict[str, Any], problem: str) -> None:
    with pytest.raises(Breach, match="plugin 'tiny', hook describe: ") as breach:
        engine(catalog=tiny_catalog(named(**how))).start("tiny")
    assert problem in breach.value.problem


@pytest.mark.parametrize(
    ("options", "path"),
    [({"counts": "5"}, "$.options.counts"), ({"counts": 5.0}, "$.options.counts"), ({"cuonts": 5}, "$.options")],
)
def test_options_are_the_system_s(options: dict[str, Any], path: str) -> None:
    with pytest.raises(InputError) as error:
        engine().start("tiny", options=options)
    assert path == error.value.path
