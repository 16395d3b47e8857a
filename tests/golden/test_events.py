"""Every event kind has a golden sample that still reads, and EVENTS.md shows it."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from affray.kernel import KINDS, UPCASTERS, canonical, sha256
from affray.kernel.events import AnyEvent

from .samples import DOCUMENT, FOLDER, document, samples


def stored() -> dict[str, dict[str, Any]]:
    return {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}


def test_every_kind_of_the_current_schema_has_a_sample() -> None:
    assert set(KINDS) - set(stored()) == set()


@pytest.mark.parametrize("tag", sorted(stored()))
def test_a_sample_of_any_schema_reads_and_writes_its_own_bytes(tag: str) -> None:
    event = stored()[tag]["event"]
    read = msgspec.convert(UPCASTERS.upgrade(dict(event)), AnyEvent)
    if tag in KINDS:
        assert canonical(event) == canonical(read)


@pytest.mark.parametrize("tag", [tag for tag, sample in stored().items() if sample["kept"]])
def test_a_kept_part_is_the_one_its_event_names(tag: str) -> None:
    sample = stored()[tag]
    assert sample["event"]["kept"] == sha256(canonical(sample["kept"]))


def test_playing_the_sample_fight_again_gives_the_stored_samples() -> None:
    assert stored() == samples()


def test_the_document_is_generated_from_the_samples() -> None:
    assert DOCUMENT.read_text() == document(samples())
