"""Golden vectors of the Exalted rules: every step of every Defense Value, alone and in real sessions, and whole attacks."""

from __future__ import annotations

import msgspec
import pytest

from affray.plugins.exalted.defense_value import defense_value
from affray.plugins.exalted.options import BUNDLES

from .exalted_vectors import (
    Record,
    inputs_of,
    options_of,
    read_back,
    run_attack,
    run_defence,
    run_refused,
    told,
    vectors,
)


def cases(*kinds: str) -> pytest.MarkDecorator:
    """A test's cases, one a vector; one that says there are none where another directory holds no file."""
    found = [pytest.param(vector, id=f"exalted-{vector['id']}") for kind in kinds for vector in vectors(kind)]
    return pytest.mark.parametrize("vector", found or [pytest.param(None, id="exalted-no-vectors")])


both = pytest.mark.parametrize("cold", [False, True], ids=["warm", "cold"])


def listed(expected: Record, actual: Record) -> Record:
    """The part of what came out that a vector lists."""
    return {name: actual[name] for name in expected if name in actual}


@cases("seed", "variants")
def test_a_defense_value(vector: Record | None) -> None:
    if vector is None:
        return
    value = defense_value(inputs_of(vector["input"]), options_of(vector))
    assert vector["expected"] == listed(vector["expected"], told(value))
    assert vector["expected"] == listed(vector["expected"], read_back(value.trace))


@both
@cases("seed", "variants")
def test_a_session_records_every_step_of_a_defense_value(vector: Record | None, cold: bool) -> None:
    if vector is None:
        return
    actual, faces_left = run_defence(vector, cold=cold)
    assert vector["expected"] == listed(vector["expected"], actual)
    assert faces_left == 0


BUNDLED = {
    "seed": ("V08s", "A14", "E08"),
    "direct-penalties": ("V01", "V02"),
    "rolled-stunts": ("V04", "V05", "V12"),
    "dice-cap-first": ("V06", "V07", "V08"),
}
"""Bundle -> rows that are about what it plays. V01 and V02 have no stunts and no Virtues, V04 and V12 no wounds and no armour,
so that options of theirs that are not the bundle's change nothing."""


@both
@pytest.mark.parametrize(("bundle", "name"), [(bundle, name) for bundle, names in BUNDLED.items() for name in names])
def test_a_session_under_a_bundle_plays_its_variant(bundle: str, name: str, cold: bool) -> None:
    for vector in named(name):
        actual, faces_left = run_defence(vector, cold=cold, bundle=bundle)
        assert vector["expected"] == listed(vector["expected"], actual)
        assert faces_left == 0


@pytest.mark.parametrize("bundle", [bundle for bundle in BUNDLED if bundle != "seed"])
def test_a_bundle_is_told_from_the_seed(bundle: str) -> None:
    for vector in named(BUNDLED[bundle][0]):
        assert vector["expected"] != listed(vector["expected"], run_defence(vector, cold=False, bundle="seed")[0])


def test_every_bundle_is_played() -> None:
    assert set(BUNDLED) == set(BUNDLES)


def named(name: str) -> list[Record]:
    """The row of this id; none where another directory holds no file."""
    return [vector for kind in ("seed", "variants") for vector in vectors(kind) if vector["id"] == name]


@both
@cases("attack_flow")
def test_a_session_plays_an_attack(vector: Record | None, cold: bool) -> None:
    if vector is None:
        return
    actual, faces_left = run_attack(vector, cold=cold)
    assert vector["expected"] == listed(vector["expected"], actual)
    assert faces_left == 0


@cases("refuse")
def test_what_is_refused_names_a_field(vector: Record | None) -> None:
    if vector is None:
        return
    with pytest.raises(msgspec.ValidationError) as refused:
        inputs_of(vector["input"])
    assert any(name in str(refused.value) for name in vector["input"])


NAMED = {"stunt_dice": "dv.stunt", "wound": "health", "virtue_dice": "no-such-prompt"}
"""How a session names the field at fault, where it has another name there: beside a Virtue nobody is asked for Willpower."""


@cases("refuse")
def test_a_session_refuses_it_and_records_nothing(vector: Record | None) -> None:
    if vector is None:
        return
    said = run_refused(vector)
    names = [*[NAMED.get(name, name) for name in vector["input"]], "dv.charm"]
    assert any(name in said for name in names), said
