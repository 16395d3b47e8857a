"""Every hook has documentation, a test and a shipped user; the reference is what the specifications say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ..golden import hooks

NAMES = [hook.name for hook in hooks.hooks()]
TESTS = hooks.ROOT / "tests"


def test_the_reference_is_generated_from_the_specifications() -> None:
    assert hooks.DOCUMENT.read_text("utf-8") == hooks.document(), "python -m tests.golden.hooks --write"


@pytest.mark.parametrize("hook", hooks.hooks(), ids=NAMES)
def test_every_hook_is_documented(hook: hooks.Hook) -> None:
    assert hook.kind in ("one", "list", "chain")
    assert tuple(hook.parts) == hooks.PARTS
    assert all(len(text) > 10 for text in (hook.summary, *hook.parts.values()))


@pytest.mark.parametrize("name", NAMES)
def test_every_hook_has_a_shipped_user(name: str) -> None:
    assert hooks.users(name), f"no plugin that is shipped implements {name}"


def test_every_hook_has_a_test_of_what_goes_wrong_in_it() -> None:
    """The tests of hooks name each as the one at fault."""
    text = "".join(path.read_text("utf-8") for path in sorted((TESTS / "unit" / "kernel").glob("test_*.py")))
    named = set(re.findall(r'"([a-z_]+)"', text))

    assert set(NAMES) <= named, sorted(set(NAMES) - named)


def test_a_plugin_is_only_counted_for_hooks_that_are_marked(tmp_path: Path) -> None:
    path = tmp_path / "plugin.py"
    path.write_text("class A:\n    @hookimpl\n    def check(self): ...\n    def follow(self): ...\n")

    assert hooks._implemented(path) == {"check"}
