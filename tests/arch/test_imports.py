"""Who may import whom (the house, section 2 of the design; laws 2 and 3)."""

from __future__ import annotations

import ast
import importlib
import re
import sys

import pytest

from .source import TESTING, Source, findings, is_testing, sources

PLUGGY_FILES = ("kernel/affray/kernel/hookspecs.py", "kernel/affray/kernel/rules.py")
PLUGIN_NAME = re.compile(r"affray\.plugins(\.\w+)*(:\w+)?")


def public_names() -> frozenset[str]:
    """The names a plugin author may use."""
    names = getattr(importlib.import_module("affray.kernel"), "__all__", ())
    assert names, "affray.kernel has no __all__"
    return frozenset(names)


def kernel_strays(source: Source) -> list[str]:
    """Find what a kernel file imports beyond msgspec, the standard library, the kernel and, in two files, pluggy."""
    allowed = {"msgspec", *sys.stdlib_module_names}
    if source.path in PLUGGY_FILES:
        allowed.add("pluggy")
    if is_testing(source):
        allowed |= {"pytest", "hypothesis"}
    return [
        source.at(one.line, f"the kernel imports {one.module} {one.name}")
        for one in source.imports()
        if not (one.reaches("affray.kernel") or one.module.partition(".")[0] in allowed)
        or (one.reaches(TESTING) and not is_testing(source))
    ]


def plugin_strays(source: Source, public: frozenset[str]) -> list[str]:
    """Find what a plugin file imports beyond the kernel's public names, msgspec, the standard library and itself."""
    own = ".".join(source.module.split(".")[:3])
    allowed = {"msgspec", *sys.stdlib_module_names}
    return [
        source.at(one.line, f"a plugin imports {one.module} {one.name}")
        for one in source.imports()
        if not (
            one.reaches(own)
            or (one.module == "affray.kernel" and one.name in public)
            or one.module.partition(".")[0] in allowed
        )
    ]


def names_plugin(source: Source) -> list[str]:
    """Find imports of affray.plugins and texts that are the import name of something in it."""
    found = [
        source.at(one.line, f"imports {one.module}")
        for one in source.imports()
        if one.reaches("affray.plugins")
    ]
    return found + [
        source.at(node.lineno, f"names {node.value}")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and PLUGIN_NAME.fullmatch(node.value)
    ]


def test_kernel_imports_nothing_but_msgspec_and_pluggy() -> None:
    """Section 2 and law 3: pluggy in two files only, the testing kit (pytest, Hypothesis) by itself only."""
    assert findings(kernel_strays, sources("kernel")) == []


def test_plugins_import_public_names_only() -> None:
    """Section 2: from the kernel its public names; never sessions, never each other."""
    public = public_names()
    assert findings(lambda source: plugin_strays(source, public), sources("plugins")) == []


def test_public_names_exist() -> None:
    """Section 2: every public name of the kernel is there, once, and none is private."""
    kernel = importlib.import_module("affray.kernel")
    names = list(kernel.__all__)
    assert len(set(names)) == len(names)
    assert [name for name in names if name.startswith("_") or not hasattr(kernel, name)] == []


def test_kernel_and_sessions_name_no_plugin() -> None:
    """Law 2 and section 2: folding needs no plugin, and sessions find plugins through entry points only."""
    assert findings(names_plugin, sources("kernel", "sessions")) == []


@pytest.mark.parametrize(
    "text",
    [
        "import structlog",
        "from affray.sessions import Engine",
        "from affray.plugins.nyra import make",
        "import pluggy",
        "import pytest",
        "from . import testing",
        "from .testing.dice import scripted",
        "def f():\n    import affray.kernel.testing",
    ],
)
def test_a_stray_import_of_the_kernel_is_found(text: str) -> None:
    """Section 2: the check of the kernel can fail."""
    assert len(kernel_strays(Source("kernel/affray/kernel/sample.py", text))) == 1


def test_allowed_imports_of_the_kernel_pass() -> None:
    """Section 2: pluggy and pytest where they belong."""
    files = [
        Source(PLUGGY_FILES[0], "import pluggy\nfrom .events import Open"),
        Source(
            "kernel/affray/kernel/testing/__init__.py",
            "import pytest, hypothesis\nfrom .. import fold\nfrom . import kit",
        ),
        Source(
            "kernel/affray/kernel/fold.py", "from collections.abc import Iterable\nfrom msgspec import UNSET"
        ),
    ]
    assert findings(kernel_strays, files) == []


@pytest.mark.parametrize(
    "text",
    [
        "from affray.kernel import secret",
        "from affray.kernel import *",
        "from affray.kernel.steps import Roll",
        "from affray import kernel",
        "import affray.kernel",
        "from affray.sessions import Engine",
        "from ..exalted import soak",
        "from .. import exalted",
        "import affray.plugins.exalted.sheet",
        "import pluggy",
    ],
)
def test_a_stray_import_of_a_plugin_is_found(text: str) -> None:
    """Section 2: the check of the plugins can fail."""
    assert len(plugin_strays(_plugin(text), frozenset({"Roll"}))) == 1


def test_allowed_imports_of_a_plugin_pass() -> None:
    """Section 2: a plugin uses public names, msgspec, the standard library and its own package."""
    text = "import msgspec, math\nfrom affray.kernel import Roll\nfrom . import sheet\nfrom .sheet import Sheet\nimport affray.plugins.nyra.odds"
    assert plugin_strays(_plugin(text), frozenset({"Roll"})) == []


@pytest.mark.parametrize(
    "text",
    [
        "import affray.plugins.nyra",
        "from affray import plugins",
        "importlib.import_module('affray.plugins.nyra')",
        "FACTORY = 'affray.plugins.nyra:make'",
    ],
)
def test_a_named_plugin_is_found(text: str) -> None:
    """Law 2: the check of plugin names can fail."""
    assert len(names_plugin(Source("sessions/affray/sessions/sample.py", text))) == 1


def _plugin(text: str) -> Source:
    return Source("plugins/affray/plugins/nyra/strike.py", text)
