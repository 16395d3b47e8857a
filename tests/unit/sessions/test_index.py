"""What a store refuses before anything is written, and what it remembers of command ids."""

from __future__ import annotations

import tracemalloc

import pytest
from msgspec.structs import replace

from affray.kernel import CommandConflict, Commit, Group, StoreError, VersionConflict, continues
from affray.kernel.testing import Scribe
from affray.sessions.stores.index import SessionIndex, units


def indexed(scribe: Scribe, *commits: Commit) -> SessionIndex:
    """An index of commits whose places are numbered from 1."""
    index = SessionIndex(scribe.header)
    for unit in units(commits):
        index.check_order(unit, index.version)
        index.add(unit, index.line, index.line + len(unit))
    return index


@pytest.mark.parametrize(
    ("before", "group", "expected"),
    [
        (None, None, True),
        (None, (1, 1), True),
        (None, (1, 3), True),
        (None, (2, 3), False),
        (None, (0, 3), False),
        (None, (1, 0), False),
        (None, (0, 0), False),
        ((1, 3), (2, 3), True),
        ((1, 3), (3, 3), False),
        ((1, 3), (1, 3), False),
        ((1, 3), (2, 4), False),
        ((1, 3), None, False),
        ((3, 3), None, True),
        ((3, 3), (1, 2), True),
        ((3, 3), (4, 3), False),
    ],
)
def test_what_may_follow(before: tuple[int, int] | None, group: tuple[int, int] | None, expected: bool) -> None:
    """(index, size) of two commits, one after the other."""
    assert expected == continues(_group(before), _group(group))


def test_groups_are_not_mixed() -> None:
    assert not continues(Group(id="g", index=1, size=2), Group(id="h", index=2, size=2))


def _group(pair: tuple[int, int] | None) -> Group | None:
    return pair and Group(id="g", index=pair[0], size=pair[1])


def test_a_commit_with_another_s_line_is_refused() -> None:
    """The line is what is stored, so it must be the one that was checked."""
    scribe = Scribe()
    index = indexed(scribe)
    commit = scribe.fork().note("one")
    for line in (scribe.fork().note("two").line, b"", commit.line + b"\n", commit.line.replace(b"note", b"no\ne")):
        with pytest.raises(StoreError, match="does not hold the line of its digest"):
            index.check([replace(commit, line=line)], 0)
    index.check([commit], 0)


def test_a_number_that_does_not_follow_is_refused() -> None:
    """Even where the digest before it is right."""
    scribe = Scribe()
    index = indexed(scribe)
    commit = scribe.note("one")
    moved = replace(commit, envelope=replace(commit.envelope, first=2))
    with pytest.raises(VersionConflict) as caught:
        index.check([moved], 0)
    assert (caught.value.expected, caught.value.current) == (1, 0)


def test_one_command_may_make_several_commits_of_a_group() -> None:
    """Under one digest; two commands under one id are refused."""
    scribe = Scribe()
    group = [Group(id="g", index=i, size=2) for i in (1, 2)]
    first = scribe.note("one", command="amend", group=group[0])
    rival = scribe.fork()
    same = scribe.note("two", command="amend", group=group[1])
    other = rival.note("two", command="amend", digest="0" * 64, group=group[1])
    index = indexed(Scribe())
    with pytest.raises(CommandConflict):
        index.check([first, other], 0)
    index.check([first, same], 0)
    index.add([first, same], 1, 3)
    for commit in (first, same):
        place = index.earlier([commit])
        assert place is not None
        assert (place.start, place.end) == (1, 3)
        assert (first, same) == index.commits_at(place, [first.line, same.line])


def test_the_first_use_of_an_id_is_answered() -> None:
    """A ledger from elsewhere may hold a command id twice; it can be stored, and nothing is refused for it later."""
    scribe = Scribe()
    commits = [scribe.note("one", command="c", digest="1"), scribe.note("two", command="c", digest="2")]
    index = indexed(scribe, *commits)
    place = index.earlier(commits[:1])
    assert place is not None
    assert (place.start, place.end) == (1, 2)
    with pytest.raises(CommandConflict):
        index.earlier(commits[1:])


def test_a_long_session_costs_little_memory() -> None:
    """No event and no line is kept: less than a kilobyte for each commit of any length."""
    scribe = Scribe()
    index = SessionIndex(scribe.header)
    count = 1000
    tracemalloc.start()
    try:
        for number in range(count):
            index.add([scribe.note("x" * 10_000, command=f"command-{number}")], number, number + 1)
        used = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert used < 1000 * count
