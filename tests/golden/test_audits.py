"""The fights that come with Affray, of every rules system: the rules make every event of them again."""

from __future__ import annotations

from pathlib import Path

import pytest

from affray.kernel import GM, audit, redact
from affray.sessions import Catalog, Engine, MemoryStore, encounter
from affray.sessions.auditing import audit_stored
from affray.sessions.catalog import SYSTEMS

from ..support.table import Fixed

DEMOS = sorted((Path(encounter.__file__).parent / "demos").glob("*.toml"))


@pytest.mark.parametrize("seed", ["one", "two"])
@pytest.mark.parametrize("path", DEMOS, ids=lambda path: path.stem)
def test_a_fight_and_everybodys_copy_of_it_is_clean(path: Path, seed: str) -> None:
    """Law 6: what was recorded is what the rules make of the recorded dice and answers."""
    store, catalog = MemoryStore(), Catalog()
    session = encounter.run_encounter(Engine(store, catalog, Fixed(seed)), encounter.read_encounter(path))
    found = audit_stored(store, session.id, catalog)
    assert (found.findings, found.divergences, found.unchecked) == ((), (), ())
    assert found.version - found.checked == 2, "all but what opened it and what opened its dice at the end"
    readers = {one.controller for one in session.state(reader=GM).combatants.values()}
    for reader in ["public", *sorted(readers)]:
        copy = audit([session.header, *[redact(line, reader) for line in session.lines]], catalog.rules)
        assert (copy.findings, copy.divergences, copy.digest) == ((), (), found.digest), reader


def test_every_system_has_a_fight_here() -> None:
    fights = {encounter.read_encounter(path).system for path in DEMOS}
    assert {offer.id for offer in Catalog().offers() if offer.group == SYSTEMS} <= fights
