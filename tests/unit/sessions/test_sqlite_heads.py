"""Head records: what is written, what is left out, and what can be read of one that was damaged."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from affray.kernel import Damaged, limits
from affray.sessions.stores.heads import LOCK_SECONDS, Head, HeadRecord, read_head

from ...support.ram import ram_folder

A, B, C = (Head(version, f"{version:064x}") for version in (1, 20, 300))


@pytest.fixture
def path() -> Iterator[Path]:
    with ram_folder() as folder:
        yield folder / "fight.head"


def test_a_record_is_one_line_that_people_can_read(path: Path) -> None:
    """And of one length, whatever the version, within one sector of a disk, for the longest of ids."""
    session = "S" * limits.ID_LENGTH
    record = HeadRecord(path, session)
    sizes = set()
    for head in (A, B, C, Head(limits.NUMBER_MAX // 10, "f" * 64)):
        record.write(head)
        assert head == read_head(path, session)
        text = path.read_text("ascii")
        assert text.startswith(f"affray-head 1 {session} {head.version:015d}:{head.digest} ")
        assert text.endswith("\n")
        sizes.add(len(text))
    assert len(sizes) == 1
    assert sizes.pop() < 256
    record.close()


def test_there_is_none(path: Path) -> None:
    assert read_head(path, "fight") is None
    path.write_bytes(b"")
    assert read_head(path, "fight") is None


def test_an_older_head_is_left_out(path: Path) -> None:
    """Two processes that commit one after the other may tell it the other way round."""
    one, other = HeadRecord(path, "fight"), HeadRecord(path, "fight")
    for record, head, expected in ((one, B, B), (other, A, B), (other, B, B), (other, C, C), (one, B, C), (one, C, C)):
        record.write(head)
        assert expected == read_head(path, "fight")
    one.close()
    other.close()


def test_a_flipped_record_is_none_and_is_made_anew(path: Path) -> None:
    record = HeadRecord(path, "fight")
    record.write(B)
    data = path.read_bytes()
    for at in range(len(data)):
        for bit in range(8):
            path.write_bytes(data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :])
            assert read_head(path, "fight") is None, (at, bit)
    for cut in range(len(data)):
        path.write_bytes(data[:cut])
        assert read_head(path, "fight") is None, cut
    record.write(A)
    assert read_head(path, "fight") == A
    record.close()


def test_the_record_of_another_session(path: Path) -> None:
    record = HeadRecord(path, "fight")
    record.write(A)
    record.close()
    with pytest.raises(Damaged, match="the head record is that of session 'fight', not of 'duel'"):
        read_head(path, "duel")


def test_a_record_that_is_being_rewritten_is_waited_for(path: Path) -> None:
    """But not for long: one that is left out is brought up by the next commit."""
    record = HeadRecord(path, "fight")
    record.write(A)
    holder = os.open(path, os.O_RDWR)
    fcntl.flock(holder, fcntl.LOCK_EX)
    before = time.monotonic()
    record.write(B)
    assert LOCK_SECONDS <= time.monotonic() - before < 20 * LOCK_SECONDS
    assert read_head(path, "fight") == A

    def release() -> None:
        time.sleep(LOCK_SECONDS / 5)
        fcntl.flock(holder, fcntl.LOCK_UN)

    releasing = Thread(target=release)
    releasing.start()
    record.write(C)
    releasing.join()
    assert read_head(path, "fight") == C
    os.close(holder)
    record.close()
