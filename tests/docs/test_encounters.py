"""sessions/ENCOUNTERS.md: every sample is a whole file that runs, and every key of the format is told."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from affray.plugins.nyra import make
from affray.sessions import Catalog, Engine, MemoryStore
from affray.sessions.encounter import parse_encounter, run_encounter
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


def test_there_is_a_sample_a_use() -> None:
    assert len(SAMPLES) == 6
    assert TEXT.count("\n## ") == 6, "the last section is the table of keys, one section has two samples"


@pytest.mark.parametrize("text", SAMPLES)
def test_a_sample_runs(text: str) -> None:
    catalog = Catalog(systems={"nyra": make}, points=())
    encounter = parse_encounter(text.encode(), "sample.toml")
    session = run_encounter(Engine(MemoryStore(), catalog), encounter, where="sample.toml")
    assert session.state().began
    assert session.verify().is_clean
    if encounter.auto is not None and encounter.commands == 1000:
        assert session.state().over


@pytest.mark.parametrize("struct", [Encounter, Combatant, Declare, Reply, Report, Note, EndTurn, Move, Auto])
def test_every_key_is_told(struct: type[msgspec.Struct]) -> None:
    told = set(re.findall(r"`([a-z_]+)`", TEXT)) | set(re.findall(r"^([a-z_]+) =", TEXT, re.MULTILINE))
    told |= set(re.findall(r"\{ ([a-z_]+) =", TEXT)) | set(re.findall(r", ([a-z_]+) = ", TEXT))
    assert [name for name in struct.__struct_fields__ if name not in told] == []


def test_its_numbers_are_those_of_the_code() -> None:
    assert f"(1000 if nothing is said, at most {COMMANDS_MAX})" in TEXT
    assert parse_encounter(SAMPLES[0].encode()).commands == 1000
