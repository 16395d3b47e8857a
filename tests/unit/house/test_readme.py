"""The README of the house rules: its table, its pairs and its encounters are what the code has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from affray.kernel import GM, ApplyDamage
from affray.sessions import Engine, MemoryStore
from affray.sessions.encounter import parse_encounter, run_encounter

from ...support.table import Fixed
from .table import ROOT, RULES, SYSTEMS, catalog, fitting
from .test_pairs import PART_WAYS

TEXT = (ROOT / "plugins" / "affray" / "plugins" / "house" / "README.md").read_text("utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in TEXT.splitlines() if line.startswith("| `")]
SAMPLES = re.findall(r"^```toml\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


def hooks(name: str) -> set[str]:
    books = catalog()
    system = next(system for system in SYSTEMS if name in fitting(system))
    return set(books.rules(books.manifest(system, {}, [name])).hooks_of(name)) - {"texts"}


def test_every_rule_is_told_with_whom_it_is_for_and_its_rung() -> None:
    told = {row[0].strip("`"): (row[1], set(row[2].split(", "))) for row in ROWS if len(row) == 4}
    assert told == {name: (", ".join(getattr(make, "systems", ())) or "any", hooks(name)) for name, make in RULES.items()}


def test_every_pair_that_parts_ways_is_told_with_its_hook() -> None:
    told = {tuple(sorted(re.findall(r"`([\w-]+)`", row[0]))): row[1] for row in ROWS if len(row) == 3}
    found = {pair: hook for known in PART_WAYS.values() for pair, hook in known.items()}
    in_corners: dict[tuple[str, ...], str] = {("last-stand", "minimum-damage"): "ruling", ("no-friendly-fire", "no-hit-locations"): "check"}
    for pair, hook in found.items():
        in_corners[tuple(sorted(pair))] = hook
    assert told == in_corners


@pytest.mark.parametrize("text", SAMPLES, ids=[re.findall('title = "(.*?)"', text)[0] for text in SAMPLES])
def test_an_encounter_runs(text: str) -> None:
    session = run_encounter(Engine(MemoryStore(), catalog(), Fixed("readme")), parse_encounter(text.encode()))
    assert session.state().began
    assert session.verify().is_clean
    if "minimum-damage" in text:
        (hit,) = [one.event for one in session.history(reader=GM) if isinstance(one.event, ApplyDamage)]
        assert (hit.value, hit.by_rules) == (1, ("minimum-damage",))
    if "first-blood" in text:
        assert session.state().over == "first-blood"


def test_other_pages_count_the_rules_as_they_are() -> None:
    assert len(RULES) == 19
    for page, text in (("kernel/README.md", "[Nineteen of them]"), ("CHANGELOG.md", "nineteen house rules")):
        assert text in (ROOT / page).read_text("utf-8")


def test_its_links_lead_somewhere() -> None:
    folder = ROOT / "plugins" / "affray" / "plugins" / "house"
    for link in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (folder / Path(link)).exists(), link
