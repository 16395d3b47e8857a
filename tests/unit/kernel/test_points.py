"""Points: going back to where any commit ended, from states that are kept and lines that are read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from affray.kernel import Damaged, Group, Note, limits
from affray.kernel.ledger import Commit
from affray.kernel.points import Point, Points
from affray.kernel.testing import Scribe

RECENT, APART = limits.POINTS_RECENT, limits.POINTS_APART


class Log:
    """A ledger of so many commits of one or two notes, and points that followed it."""

    def __init__(self, count: int, *, reread: bool = True, rewinds: Sequence[int] = (), groups: bool = False) -> None:
        scribe = Scribe()
        self.commits: list[Commit] = []
        for number in range(1, count + 1):
            group = Group(id=f"g{(number + 1) // 2}", index=2 - number % 2, size=2) if groups else None
            notes = [Note(text=f"{number}.{n}") for n in range(1 + number % 2)]
            self.commits.append(scribe.write(*notes, command=f"c{number}", group=group))
        self.reads: list[int] = []
        self.points = Points(scribe.header, self.again if reread else None)
        for number, commit in enumerate(self.commits, 1):
            point = Point(commit.last, commits=number, digest=commit.digest, group=commit.envelope.group)
            self.points.add(point, went_back=number in rewinds)

    def again(self, commits: int) -> Iterator[bytes]:
        self.reads.append(commits)
        return (commit.line for commit in self.commits[commits:])

    def end(self, number: int) -> int:
        return self.commits[number - 1].last

    def back(self, number: int) -> tuple[int, int]:
        """The commit whose point is found on the way to the end of another, and how many commits were read from there."""
        before = self.points.events_read_again
        point, pairs = self.points.find(self.end(number))
        texts = [event.text for _, event in pairs]
        wanted = [e.text for commit in self.commits[point.commits : number] for e in commit.events]
        assert wanted == texts
        assert [version for version, _ in pairs] == list(range(point.version + 1, self.end(number) + 1))
        assert len(pairs) == self.points.events_read_again - before
        return point.commits, number - point.commits


def test_without_lines_to_read_again_every_point_is_kept() -> None:
    log = Log(3 * RECENT, reread=False)
    assert [(number, 0) for number in range(1, 3 * RECENT)] == [log.back(number) for number in range(1, 3 * RECENT)]


@pytest.mark.parametrize("count", [RECENT - 1, 2 * RECENT - 2, 2 * RECENT - 1, 2 * RECENT, 3 * RECENT - 2, 3 * RECENT - 1])
def test_the_newest_points_are_kept(count: int) -> None:
    """Law 9: going back so many ends costs nothing, however long the log is; one past them it may."""
    log = Log(count)
    newest = range(max(1, count - RECENT + 1), count + 1)
    assert [(number, 0) for number in newest] == [log.back(number) for number in newest]
    assert log.reads == []


def test_one_past_the_newest_points_is_read_again() -> None:
    """Law 9: the log's beginning is a point too, so the first points are dropped with its second lot."""
    log = Log(2 * RECENT - 2)
    assert (1, 0) == log.back(1)
    log = Log(2 * RECENT - 1)
    assert (0, 1) == log.back(1)
    assert (RECENT, 0) == log.back(RECENT)
    assert (RECENT - APART, APART - 1) == log.back(RECENT - 1)


def test_old_points_are_kept_at_intervals() -> None:
    """Law 9: from one old point to the next are so many commits, and what is read again is what lies between."""
    log = Log(4 * RECENT)
    for number in (APART, 2 * APART, RECENT):
        assert (number, 0) == log.back(number)
        assert (number - APART, APART - 1) == log.back(number - 1)
        assert (number, 1) == log.back(number + 1)
    assert max(log.back(number)[1] for number in range(1, 4 * RECENT)) == APART - 1
    kept = [number for number in range(1, 2 * RECENT) if log.back(number)[1] == 0]
    assert list(range(APART, 2 * RECENT, APART)) == kept


def test_where_a_rewind_stands_the_point_is_kept() -> None:
    """Behind a rewind the line is another, so nobody may read on from before it."""
    log = Log(3 * RECENT, rewinds=(5, 6, 70))
    assert [(0, 4), (5, 0), (6, 0), (6, 1)] == [log.back(number) for number in (4, 5, 6, 7)]
    assert (64, 5) == log.back(69)
    assert (70, 0) == log.back(70)
    assert (70, 3) == log.back(73)


def test_points_within_a_group_are_read_on_from() -> None:
    log = Log(3 * RECENT, groups=True, rewinds=(65,))
    assert (65, 0) == log.back(65)
    assert (65, 1) == log.back(66)
    assert (65, 2) == log.back(67)


@pytest.mark.parametrize("reread", [False, True])
def test_what_is_no_end_is_not_found(reread: bool) -> None:
    log = Log(20, reread=reread)
    assert log.points.is_end(0)
    point, pairs = log.points.find(0)
    assert (point.version, pairs) == (0, [])
    for version in (1, log.commits[-1].last + 1, -1):
        assert not log.points.is_end(version)
        with pytest.raises(KeyError):
            log.points.find(version)


def tampered(log: Log) -> Callable[[int], Iterator[bytes]]:
    return lambda commits: (commit.line.replace(b'"2.0"', b'"2.x"') for commit in log.commits[commits:])


def test_lines_that_are_not_the_same_when_they_are_read_again_are_damage() -> None:
    """Law 10: nothing that is read is used before it was checked, a second time too."""
    log = Log(2 * RECENT)
    good = log.again
    log.points._reread = tampered(log)
    with pytest.raises(Damaged, match="does not match its seal"):
        log.back(9)
    log.points._reread = lambda commits: iter([commit.line for commit in log.commits[commits:8]])
    with pytest.raises(Damaged, match="no longer there"):
        log.back(9)
    log.points._reread = good
    assert (0, 9) == log.back(9)
