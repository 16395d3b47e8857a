"""What every store must do, as checks that a store's author runs: `check_store(make_store, reopen)`.

`make_store()` gives a new, empty store. `reopen(store)` closes a store and gives another one over the same data, as a
new process would see it; None for a store that keeps nothing. The rules are those of `affray.sessions.stores.Store`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import Barrier, Thread
from typing import Any

from ..errors import AffrayError, CommandConflict, NoSuchSession, SessionExists, StoreError, VersionConflict
from ..events import Join, Note
from ..ledger import Chain, Commit, redact
from ..limits import ID_LENGTH
from ..values import PUBLIC, Json, Pool, Veil
from .ledgers import Scribe
from .store_bench import (
    CHECKS,
    Bench,
    MakeStore,
    Reopen,
    Store,
    StoreCheck,
    answers,
    conflict,
    refused,
    same,
    store_check,
)
from .store_tails import keeps_a_cache, tells_the_tail


@store_check
def keeps_the_bytes(bench: Bench) -> None:
    """What is read is what was stored, byte for byte, also in another process."""
    scribe, commits = bench.three()
    bench.holds(scribe, *commits)
    for text in ("four", "five"):
        commit = scribe.note(text)
        answers([commit], bench.append(commit), "a first append")
        commits.append(commit)
    bench.holds(scribe, *commits)
    bench.reopen()
    bench.holds(scribe, *commits)


@store_check
def keeps_what_is_odd(bench: Bench) -> None:
    """Order and absence of keys, any text, long ids and long lines come back with the same digests (AUD-1, STORE-3)."""
    scribe = Scribe("S" * ID_LENGTH)
    sheet: dict[str, Json] = {
        "zeta": {"b": 1, "": [], "a": {"y": None, "x": [{"n": 2, "m": []}, {}]}},
        "Alpha": None,
        "id": "17480000000001000003",
        "big": 9007199254740991,
        "decimal": "14.08",
        "": "empty key",
    }
    texts = ["Zoë — „Blutgrätsche“ 剣 🐉\u2028\u007f", "\x00\t\r\n\"\\/\x1f", "", "x" * 300_000, "é" * 100_000, "'; --"]
    join = Join(
        id="bo",
        name="Bö 🐗",
        side="a",
        controller="ann",
        secret=True,
        sheet=sheet,
        pools={"hp": Pool(start="7/2")},
        conditions=(),
        player=None,
        veil=Veil(audience=("ann", "gm"), fields=("conditions", "player", "pools", "sheet")),
    )
    commits = [scribe.write(join, *[Note(text=text) for text in texts])]
    bench.create(scribe, *commits)
    for index, text in enumerate(texts):
        commits.append(scribe.note(text, command=f"{index}-".ljust(ID_LENGTH, "c"), caller="C" * ID_LENGTH))
        bench.append(commits[-1])
    bench.holds(scribe, *commits)
    bench.reopen()
    header, *lines = bench.store.read(scribe.session)
    chain = Chain(header)
    answers(commits, [chain.accept(line) for line in lines], "what was read")


@store_check
def keeps_sessions_apart(bench: Bench) -> None:
    """Sessions are listed in order, and none sees another's commits or command ids."""
    same((), bench.store.sessions(), "the sessions of a new store")
    scribes = {name: Scribe(name) for name in ("b", "a-2", "_c", "a", "Z", "10", "9")}
    first = {name: scribe.note(f"of {name}", command="first") for name, scribe in scribes.items()}
    for name, scribe in scribes.items():
        bench.create(scribe, first[name])
    same(tuple(sorted(scribes)), bench.store.sessions(), "sessions()")
    second = {name: scribe.note(f"again {name}", command="second") for name, scribe in scribes.items()}
    for commit in second.values():
        bench.append(commit)
    bench.reopen()
    same(tuple(sorted(scribes)), bench.store.sessions(), "sessions()")
    for name, scribe in scribes.items():
        bench.holds(scribe, first[name], second[name])


@store_check
def creates_with_nothing(bench: Bench) -> None:
    """A session without commits exists, and its first commit follows the header."""
    scribe = Scribe()
    bench.create(scribe)
    bench.holds(scribe)
    same((scribe.session,), bench.store.sessions(), "sessions()")
    commit = scribe.note("one")
    bench.append(commit)
    bench.holds(scribe, commit)


@store_check
def refuses_to_create_twice(bench: Bench) -> None:
    """An existing session, and its secret, are never overwritten."""
    scribe = Scribe()
    commit = scribe.note("one")
    bench.create(scribe, commit, secret=b"first")
    rival = Scribe()
    refused(SessionExists, lambda: bench.create(rival, rival.note("rival"), secret=b"second"), "create again")
    refused(SessionExists, partial(bench.create, rival), "create again without a secret")
    bench.reopen()
    refused(SessionExists, partial(bench.create, rival), "create again in another process")
    bench.holds(scribe, commit)
    same(b"first", bench.store.secret(scribe.session), "the secret")


@store_check
def creates_whole_or_not_at_all(bench: Bench) -> None:
    """A refused creation leaves no session behind."""
    scribe = Scribe()
    one, two, three = scribe.note("one"), scribe.note("two"), scribe.note("three")
    group = scribe.group("g", ["four", "five"])
    for commits in ([two], [one, three], [one, one], [one, two, three, group[0]], [Scribe("other").note("one")]):
        refused(StoreError, partial(bench.create, scribe, *commits, secret=b"s"), "create with a gap")
    same((), bench.store.sessions(), "sessions()")
    refused(NoSuchSession, partial(bench.read, scribe.session), "read")
    bench.create(scribe, one, two, three, *group)
    bench.holds(scribe, one, two, three, *group)
    same(None, bench.store.secret(scribe.session), "the secret of a session created without one")


@store_check
def tells_cases_apart(bench: Bench) -> None:
    """Two ids that differ in case only are two sessions, or the second is refused; never one."""
    upper, lower = Scribe("Duel"), Scribe("duel")
    one, other = upper.note("one"), lower.note("other")
    bench.create(upper, one, secret=b"one")
    refused(NoSuchSession, partial(bench.read, "duel"), "read of the other case")
    refused(NoSuchSession, partial(bench.store.secret, "duel"), "secret of the other case")
    refused(NoSuchSession, partial(bench.append, other), "append to the other case")
    try:
        bench.create(lower, other)
    except SessionExists:
        same(("Duel",), bench.store.sessions(), "sessions()")
    else:
        bench.holds(lower, other)
        same(("Duel", "duel"), bench.store.sessions(), "sessions()")
    bench.holds(upper, one)
    same(b"one", bench.store.secret("Duel"), "the secret")


@store_check
def refuses_unknown_sessions(bench: Bench) -> None:
    """Nothing is read from, appended to or made of a session that does not exist, or of what is no id."""
    commit = Scribe("nobody").note("one")
    refused(NoSuchSession, partial(bench.append, commit), "append")
    refused(NoSuchSession, partial(bench.read, "nobody"), "read")
    refused(NoSuchSession, partial(bench.store.secret, "nobody"), "secret")
    for bad in ("", ".", "..", "../nobody", "/tmp/nobody", "a/b", "a\\b", "a.b", "a\x00b", "é", "a" * (ID_LENGTH + 1)):
        scribe = Scribe(bad)
        refused(AffrayError, partial(bench.create, scribe), f"create {bad!r}")
        refused(AffrayError, partial(bench.append, scribe.note("one")), f"append to {bad!r}")
        refused(AffrayError, partial(bench.read, bad), f"read of {bad!r}")
        refused(AffrayError, partial(bench.store.secret, bad), f"secret of {bad!r}")
    same((), bench.store.sessions(), "sessions()")


@store_check
def refuses_what_does_not_follow(bench: Bench) -> None:
    """A commit goes in where the stream ends and nowhere else (STORE-1 a, b)."""
    scribe, commits = bench.three()
    ahead = scribe.fork()
    fourth, fifth = ahead.note("four"), ahead.note("five")
    behind = Scribe()
    behind.write(Note(text="one"), Note(text="two"))
    other_third = behind.note("other three")
    other_fourth = behind.note("other four")
    conflict(bench, 3, 3, fifth)
    conflict(bench, 3, 2, other_third)
    conflict(bench, 3, 3, other_third)
    conflict(bench, 3, 3, other_fourth)
    for expected in (0, 2, 4, 5):
        conflict(bench, 3, expected, fourth)
    bench.holds(scribe, *commits)
    bench.append(fourth)
    bench.append(fifth)
    bench.holds(scribe, *commits, fourth, fifth)


@store_check
def refuses_a_batch_with_one_bad_commit(bench: Bench) -> None:
    """A group of which one commit breaks a rule is refused as a whole (STORE-1 d)."""
    scribe, commits = bench.three()
    good = scribe.fork().group("g", ["four", "five", "six"])
    ahead, aside = scribe.fork(), scribe.fork()
    ahead.note("four")
    moved = ahead.group("g", ["five", "six", "seven"])
    fork = aside.group("g", ["other", "five", "six"])
    conflict(bench, 3, 3, good[0], moved[1], good[2])
    conflict(bench, 3, 3, good[0], fork[1], good[2])
    conflict(bench, 3, 3, good[0], good[2], good[1])
    bench.holds(scribe, *commits)
    bench.append(*good)
    bench.holds(scribe, *commits, *good)


@store_check
def lets_one_of_two_writers_win(bench: Bench) -> None:
    """Of two writers who expect the same version one is stored, the other is told the new version (STORE-1 c)."""
    scribe, commits = bench.three()
    for turn in range(10):
        rivals = [scribe.fork() for _ in range(3)]
        drafts = [rival.note(f"{turn}, writer {i}", command=f"{turn}-{i}") for i, rival in enumerate(rivals)]
        answers = _at_once([partial(bench.append, draft) for draft in drafts])
        winners = [i for i, answer in enumerate(answers) if isinstance(answer, tuple)]
        same(1, len(winners), f"the winners among {answers}")
        for i, answer in enumerate(answers):
            if i != winners[0]:
                current = answer.current if isinstance(answer, VersionConflict) else answer
                same(3 + turn + 1, current, "what the loser was told")
        commits.append(drafts[winners[0]])
        scribe = rivals[winners[0]]
    bench.holds(scribe, *commits)


def _at_once(acts: Sequence[Callable[[], object]]) -> list[Any]:
    """What each act answers or raises when they start at the same time."""
    barrier = Barrier(len(acts))
    answers: list[Any] = [None] * len(acts)

    def run(i: int) -> None:
        barrier.wait()
        try:
            answers[i] = acts[i]()
        except Exception as error:
            answers[i] = error

    threads = [Thread(target=run, args=(i,)) for i in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


@store_check
def keeps_groups_whole(bench: Bench) -> None:
    """A group is stored with all its commits; half of one, or several commits that are no group, never."""
    scribe, commits = bench.three()
    group = scribe.fork().group("g", ["four", "five", "six"])
    loose = scribe.fork()
    pair = [loose.note("four"), loose.note("five")]
    two_groups = [*group, *_after(group).group("h", ["seven", "eight"])]
    mixed = [*group, _after(group).note("seven")]
    for batch in ([*group[:1]], [*group[:2]], pair, mixed, two_groups):
        refused(StoreError, partial(bench.append, *batch), f"append of {len(batch)} commits")
        bench.holds(scribe, *commits)
    answers(group, bench.append(*group), "a group")
    bench.holds(scribe, *commits, *group)
    tail = _after(group).group("h", ["seven"])
    bench.append(*tail)
    bench.reopen()
    bench.holds(scribe, *commits, *group, *tail)


def _after(commits: Sequence[Commit]) -> Scribe:
    """A scribe who goes on behind a commit."""
    scribe = Scribe(commits[-1].envelope.session)
    scribe.version, scribe.digest = commits[-1].last, commits[-1].digest
    return scribe


@store_check
def refuses_what_is_not_its_own(bench: Bench) -> None:
    """Commits of another session, and nothing at all, are not stored."""
    scribe, commits = bench.three()
    foreign = Scribe("other")
    foreign.version, foreign.digest = scribe.version, scribe.digest
    commit = foreign.note("four")
    refused(StoreError, partial(bench.store.append, "fight", [commit], 3), "append of a foreign commit")
    refused(StoreError, partial(bench.store.append, "fight", [], 3), "append of nothing")
    bench.holds(scribe, *commits)


@store_check
def answers_a_repeat(bench: Bench) -> None:
    """A command sent again, in whichever state the session is by then, gets its first answer and adds nothing."""
    scribe, commits = bench.three()
    again = scribe.fork()
    fourth = scribe.note("four", command="hit", caller="ann", nonce="n")
    secret = scribe.note("five", command="hide", caller="ann", secret=True)
    bench.append(fourth)
    bench.append(secret)
    fifth_again = again.note("drawn anew", command="hit", caller="ann")
    repeats = ((fourth, fourth, 3), (fourth, fifth_again, 3), (fourth, fifth_again, 99), (secret, secret, 4))
    later = scribe.note("six")
    for turn in range(3):
        for stored, sent, expected in repeats:
            answers([stored], bench.append(sent, expected=expected), "a repeated command")
        answers(commits[:1], bench.append(commits[0]), "a repeat of what was created")
        if turn == 0:
            bench.append(later)
        else:
            bench.reopen()
    bench.holds(scribe, *commits, fourth, secret, later)


@store_check
def answers_a_repeat_of_a_group(bench: Bench) -> None:
    """Any command of a group, sent again, is answered with all of the group."""
    scribe, commits = bench.three()
    group = scribe.group("g", ["four", "five", "six"])
    bench.append(*group)
    for _ in range(2):
        answers(group, bench.append(*group), "a repeated group")
        answers(group, bench.append(group[0]), "the first command of a group")
        answers(group, bench.append(group[1]), "the second command of a group")
        bench.reopen()
    taken = _after(group).group("h", ["seven", "eight"])
    clash = _after(taken[:1]).note("eight", command="g-2", group=taken[1].envelope.group)
    refused(CommandConflict, partial(bench.append, taken[0], clash), "a group that uses a command id again")
    bench.holds(scribe, *commits, *group)


@store_check
def refuses_another_command_of_the_same_id(bench: Bench) -> None:
    """A command id stands for one command of its caller, whatever version is expected."""
    scribe, commits = bench.three()
    other = _after(commits[:1]).note("other", command=_command(commits[1]), digest="0" * 64)
    for expected in (3, 1, 0, 7):
        error = refused(CommandConflict, partial(bench.append, other, expected=expected), "the id again")
        same(("fight", "gm", _command(commits[1])), (error.session, error.caller, error.command), "the conflict")
    part = scribe.fork().note("part", command=_command(commits[1]), digest="0" * 64, part=1)
    refused(CommandConflict, partial(bench.append, part), "the id again, as a part of another command")
    bench.reopen()
    refused(CommandConflict, partial(bench.append, other), "the id again, after reopening")
    bench.holds(scribe, *commits)


def _command(commit: Commit) -> str:
    if commit.sender is None:
        raise AssertionError("this commit was written with a sender")
    return commit.sender.command


@store_check
def keeps_callers_apart(bench: Bench) -> None:
    """Two callers may use the same command id for different commands."""
    scribe, commits = bench.three()
    for caller in ("ann", "bo", "GM"):
        commit = scribe.note(f"by {caller}", caller=caller, command=_command(commits[0]), digest=f"{len(commits)}" * 64)
        bench.append(commit)
        commits.append(commit)
    answers(commits[4:5], bench.append(commits[4]), "the repeat of one caller")
    bench.holds(scribe, *commits)


@store_check
def keeps_the_parts_of_a_command(bench: Bench) -> None:
    """Reported dice make two commits under one command id: parts 1 and 2, each answered by itself."""
    scribe, commits = bench.three()
    parts = [scribe.note("dice", command="report", part=1), scribe.note("what follows", command="report", part=2)]
    for part in parts:
        bench.append(part)
    for _ in range(2):
        for part in parts:
            answers([part], bench.append(part), f"part {part.sender and part.sender.part}")
        bench.reopen()
    bench.holds(scribe, *commits, *parts)


@store_check
def keeps_the_secret(bench: Bench) -> None:
    """The secret comes back from `secret` as it was given, and is in no line."""
    secret = bytes(range(256)) + b"0123456789abcdef" * 8
    scribe, bare, empty = Scribe(), Scribe("bare"), Scribe("empty")
    bench.create(scribe, scribe.note("one"), secret=secret)
    bench.create(bare, bare.note("one"))
    bench.create(empty, secret=b"")
    for _ in range(2):
        same(secret, bench.store.secret(scribe.session), "the secret")
        same(None, bench.store.secret(bare.session), "the secret of a session without one")
        same(b"", bench.store.secret(empty.session), "an empty secret")
        lines = b"\n".join(bench.store.read(scribe.session))
        same(False, b"0123456789abcdef" * 8 in lines, "the secret is in the lines")
        bench.reopen()


@store_check
def keeps_a_redacted_copy(bench: Bench) -> None:
    """A copy whose secret commands lost their senders can be stored and gone on with."""
    scribe = Scribe()
    lines = [scribe.note(text, secret=True, caller="ann").line for text in ("one", "two")]
    chain = Chain(scribe.header)
    copies = [chain.accept(redact(line, PUBLIC)) for line in lines]
    bench.create(scribe, *copies)
    third = scribe.note("three")
    bench.append(third)
    bench.reopen()
    bench.holds(scribe, *copies, third)
    answers([third], bench.append(third), "a repeat behind redacted commits")


@store_check
def reads_what_was_there(bench: Bench) -> None:
    """A reader sees whole commits, and a reading under way is not disturbed by an append."""
    scribe, commits = bench.three()
    lines = bench.store.read(scribe.session)
    same(scribe.header, next(lines), "the first line")
    fourth = scribe.note("four")
    bench.append(fourth)
    rest = list(lines)
    same([c.line for c in commits], rest[:3], "the lines of a reading under way")
    same(True, rest[3:] in ([], [fourth.line]), "behind them stands a whole commit or nothing")
    bench.holds(scribe, *commits, fourth)


@store_check
def closes_twice(bench: Bench) -> None:
    """Closing is idempotent, and loses nothing."""
    scribe, commits = bench.three()
    bench.store.close()
    bench.store.close()
    bench.reopen()
    bench.holds(scribe, *commits)


for body in (tells_the_tail, keeps_a_cache):
    store_check(body)

STORE_CHECKS: tuple[StoreCheck, ...] = tuple(CHECKS)
"""Every check, in order; call each with `make_store` and `reopen`."""


def check_store(make_store: MakeStore, reopen: Reopen | None = None) -> None:
    """Run every check of a store. Raises AssertionError with the name of the first that fails."""
    for check in STORE_CHECKS:
        try:
            check(make_store, reopen)
        except Exception as error:
            problem = error if isinstance(error, AssertionError) else repr(error)
            raise AssertionError(f"{check.__name__}: {problem}") from error


__all__ = ["STORE_CHECKS", "MakeStore", "Reopen", "Store", "StoreCheck", "check_store"]
