"""`affray fork` and `affray diff`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from affray.sessions.entropy import SystemEntropy

from ...support.cli import NYRA, affray, document, find_plugins
from ...support.ram import ram_folder


@pytest.fixture
def fought(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with ram_folder() as folder:
        monkeypatch.setenv("AFFRAY_HOME", str(folder))
        monkeypatch.delenv("AFFRAY_DEBUG", raising=False)
        find_plugins(monkeypatch, NYRA)
        monkeypatch.setattr(SystemEntropy, "seed", lambda self: b"7" * 32)  # the same duel every time, and a long one
        names = (f"n{number}" for number in count())
        monkeypatch.setattr(SystemEntropy, "name", lambda self: next(names))
        assert affray("demo", "nyra").exit_code == 0
        (session,) = document("sessions")
        yield str(session["id"])


def ends(session: str) -> list[int]:
    """Versions at which a command ended, as the log tells them by their senders."""
    from affray.sessions import Catalog, Engine
    from affray.sessions.cli.places import store

    return list(Engine(store(), Catalog()).load(session).ends)


def test_a_fork_is_stored_beside_its_origin_and_differs_where_it_goes_on(fought: str) -> None:
    at = ends(fought)[6]
    result = affray("fork", fought, "--at", str(at), "--session", "other")

    assert (0, f"other: goes on from version {at} of {fought}\n") == (result.exit_code, result.stdout)
    assert {"other", fought} == {one["id"] for one in document("sessions")}
    assert affray("verify", "other").exit_code == 0
    assert affray("note", "other", "here it goes on").exit_code == 0
    found = document("diff", fought, "other", code=1)
    assert at == found["common"]
    assert {"session": "other", "version": at + 2} == found["b"]


def test_a_version_differs_from_another_in_what_happened_between(fought: str) -> None:
    first, second = ends(fought)[6:8]
    found = document("diff", f"{fought}@{first}", f"{fought}@{second}", code=1)
    told = affray("diff", f"{fought}@{first}", f"{fought}@{second}")

    assert first == found["common"]
    assert found["steps"]
    assert all(step["before"] is None for step in found["steps"])
    assert 1 == told.exit_code
    assert told.stdout.startswith(f"{fought}@{first} -> {fought}@{second}: the same up to version {first}\n")


def test_the_same_is_no_difference(fought: str) -> None:
    result = affray("diff", fought, fought)

    assert 0 == result.exit_code
    assert "no difference" in result.stdout


def test_a_long_difference_is_cut_in_words(fought: str) -> None:
    assert "more steps" in affray("diff", f"{fought}@{ends(fought)[3]}", fought).stdout


def test_what_cannot_be_compared_or_forked_says_why(fought: str) -> None:
    assert "SESSION@VERSION" in affray("diff", f"{fought}@x", fought).stderr
    assert "no such version" in affray("diff", f"{fought}@99999", fought).stderr
    assert 2 == affray("diff", "nobody", fought).exit_code
    assert "no command ends there" in affray("fork", fought, "--at", str(ends(fought)[6] - 1)).stderr
    assert affray("fork", fought, "--session", fought).exit_code != 0
    assert 1 == len(document("sessions"))


def test_the_public_is_not_told_what_is_kept(fought: str) -> None:
    """Law 1: a comparison shows no more than the logs do."""
    assert affray("note", fought, "a secret", "--secret").exit_code == 0
    shown = document("diff", f"{fought}@{ends(fought)[-2]}", fought)

    assert "a secret" not in str(shown)


def test_the_documents_have_their_keys(fought: str, tmp_path: Path) -> None:
    assert {"session", "origin", "at", "digest", "version"} == set(document("fork", fought, "--session", "k"))
    assert {"a", "b", "common", "state", "steps"} == set(document("diff", fought, fought))
