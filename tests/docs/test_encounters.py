"""sessions/ENCOUNTERS.md: every sample is a whole file that runs, and every key of the format is told."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from affray.plugins import exalted, nyra
from affray.sessions import Catalog, Engine, MemoryStore
from affray.sessions.encounter import parse_encounter, read_encounter, run_encounter
from affray.sessions.encounter_file import (
    COMMANDS_MAX,
    Auto,
    Combatant,
    Declare,
    Encounter,
    EndTurn,
    Move,
    Note,
    Reply,
    Report,
)

TEXT = (Path(__file__).parents[2] / "sessions" / "ENCOUNTERS.md").read_text("utf-8")

SAMPLES = re.findall(r"^```toml\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)

BESIDE = dict(re.findall(r"^```toml ([\w.-]+)\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE))
"""Name -> text of the files that stand beside a sample."""


def test_there_is_a_sample_a_use() -> None:
    assert len(SAMPLES) == 7
    assert TEXT.count("\n## ") == 7, "the last section is the table of keys, one section has two samples"


@pytest.mark.parametrize("text", SAMPLES)
def test_a_sample_runs(text: str, tmp_path: Path) -> None:
    catalog = Catalog(systems={"nyra": nyra.make, "exalted": exalted.make}, points=())
    path = tmp_path / "sample.toml"
    for file, content in {path.name: text, **BESIDE}.items():
        (tmp_path / file).write_text(content, "utf-8")
    encounter = read_encounter(path)
    session = run_encounter(Engine(MemoryStore(), catalog), encounter, where="sample.toml")
    assert session.state().began
    assert session.verify().is_clean
    if encounter.auto is not None and encounter.commands == 1000:
        assert session.state().over


def test_what_comes_later_wins() -> None:
    """As the page says of its own sample: the bundle, then the file, then the options."""
    (text,) = [sample for sample in SAMPLES if "options_files" in sample]
    encounter = parse_encounter(text.encode())
    (file,) = [tomllib.loads(BESIDE[name]) for name in encounter.options_files]
    books = Catalog(systems={"exalted": exalted.make}, points=())
    options = books.manifest("exalted", {**file, **encounter.options}, (), encounter.bundle).options
    told = {name: options[name] for name in ("wound_mode", "mobility_mode", *file)}
    assert told == {**dict.fromkeys(("wound_mode", "mobility_mode"), "direct"), **file, "same_tick": "together"}


@pytest.mark.parametrize("struct", [Encounter, Combatant, Declare, Reply, Report, Note, EndTurn, Move, Auto])
def test_every_key_is_told(struct: type[msgspec.Struct]) -> None:
    told = set(re.findall(r"`([a-z_]+)`", TEXT)) | set(re.findall(r"^([a-z_]+) =", TEXT, re.MULTILINE))
    told |= set(re.findall(r"\{ ([a-z_]+) =", TEXT)) | set(re.findall(r", ([a-z_]+) = ", TEXT))
    assert [name for name in struct.__struct_fields__ if name not in told] == []


def test_its_numbers_are_those_of_the_code() -> None:
    assert f"(1000 if nothing is said, at most {COMMANDS_MAX})" in TEXT
    assert parse_encounter(SAMPLES[0].encode()).commands == 1000
