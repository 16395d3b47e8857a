"""`affray whatif`: one fight and many, in words and as a document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from affray.kernel import WhatIf
from affray.sessions.whatif import summed_up

from ...support.cli import NYRA, affray, document, find_plugins
from ...support.ram import ram_folder


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with ram_folder() as folder:
        monkeypatch.setenv("AFFRAY_HOME", str(folder))
        monkeypatch.delenv("AFFRAY_DEBUG", raising=False)
        find_plugins(monkeypatch, NYRA)
        yield folder


@pytest.fixture
def fought(home: Path) -> str:
    assert affray("demo", "nyra").exit_code == 0
    (session,) = document("sessions")
    return str(session["id"])


def test_the_same_rules_are_the_same_step_by_step(fought: str) -> None:
    result = affray("whatif", fought)

    assert (0, f"{fought}: the same, step by step\n") == (result.exit_code, result.stdout)


def test_another_option_tells_the_first_divergence_and_the_end(fought: str) -> None:
    result = affray("whatif", fought, "--rules", "variant=bank")
    last = result.stdout.splitlines()[-1]
    told = document("whatif", fought, "--rules", "variant=bank", code=1)

    assert 1 == result.exit_code
    assert re.search(r": \d+ steps come out otherwise(; it ended|, and it ends alike: )", last)
    assert told["whatif"]["changed"][0]["before"] != told["whatif"]["changed"][0]["after"]
    assert told["same"] is False


def test_a_folder_is_summed_up(fought: str, home: Path) -> None:
    folder = home / "logs"
    folder.mkdir()
    for name in ("a", "b"):
        assert affray("export", fought, "-o", folder / f"{name}.affray").exit_code == 0
    (folder / "c.affray").write_bytes(b"no log\n")
    result = affray("whatif", folder, "--rules", "variant=bank", "--jobs", "1")
    told = document("whatif", folder, "--rules", "variant=bank", "--jobs", "1", code=1)

    assert 1 == result.exit_code
    assert "3 fights: 0 the same, 2 otherwise, 1 not played" in result.stdout
    assert {"fights": 3, "same": 0, "changed": 2, "unplayed": 1} == {
        name: told["summary"][name] for name in ("fights", "same", "changed", "unplayed")
    }
    assert [str(folder / f"{name}.affray") for name in "abc"] == [one["name"] for one in told["fights"]]


def test_what_cannot_be_asked_says_why(fought: str, home: Path) -> None:
    (home / "empty").mkdir()

    assert "$.options.variant" in affray("whatif", fought, "--rules", "variant=no").stderr
    assert "OPTION=VALUE" in affray("whatif", fought, "--rules", "variant").stderr
    assert "holds no fights" in affray("whatif", home / "empty").stderr
    assert 2 == affray("whatif", "nobody").exit_code


def test_nothing_is_stored(fought: str) -> None:
    before = document("sessions")
    affray("whatif", fought, "--rules", "variant=bank")

    assert before == document("sessions")


def test_a_sum_counts_fights_by_what_came_of_them() -> None:
    same = WhatIf(
        session="s", version=1, changed=(), differences=(), dropped=(), drawn=(), stopped=None, before="x", after="x"
    )
    found = summed_up([same, None, None])

    assert (3, 1, 0, 2) == (found.fights, found.same, found.changed, found.unplayed)
