"""Section 1 of the design: each law has a test that cites its number, or it is not a law."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

import pytest

from .source import Source, sources

LAWS = range(1, 12)
CITED = re.compile(r"\blaw (\d+)\b", re.IGNORECASE)


def cited(source: Source) -> set[int]:
    """The laws that the docstrings of a file's test functions and test classes cite."""
    return {
        int(number)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name.lower().startswith("test")
        for number in CITED.findall(ast.get_docstring(node) or "")
    }


@lru_cache
def cited_anywhere() -> frozenset[int]:
    """The laws that any test cites."""
    return frozenset(number for source in sources("tests") for number in cited(source))


@pytest.mark.parametrize("law", LAWS)
def test_a_test_cites_the_law(law: int) -> None:
    """Section 1: the docstring of at least one test says which law it holds up."""
    assert law in cited_anywhere()


def test_only_docstrings_of_tests_cite() -> None:
    """Section 1: a comment, a string or a helper cites nothing."""
    text = '''
"""Law 1."""
# law 2
text = "law 3"
def helper():
    """Law 4."""
def test_fold():
    """Law 5 and law 11: all of it."""
class TestStore:
    """Every store keeps law 9."""
    def test_append(self):
        """Outlaw 7, law 66."""
'''
    assert {5, 9, 11, 66} == cited(Source("tests/unit/sample.py", text))
