"""Amend: go back, put in what was forgotten, and run everything since again (design, section 5).

`prepare` says where it goes back to and what is put in again; `run` does it with recorded dice and answers; `plan` tells
what would change, and never draws a die. Whoever hosts the session draws the missing ones and appends the whole as
one group (`commits`). Where it stops before the record ends, the group's last commits tell what is left, so that the
log alone says how to go on (law 1).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from . import commands as c
from .difference import ChangedStep, Difference, changed_steps, differences
from .errors import InputError, Refused
from .events import KIND_OF, Choose, Declare, Join, Note, Overrule, Rewind
from .exchange import RuleBook
from .fold import fold_all
from .inputs import check_text
from .kept import Sender
from .ledger import Commit, Group, through_bytes, write_commit
from .limits import AMEND_EDITS, TEXT_LENGTH
from .lineage import AMEND, origin_of, present, rolls_left
from .log import Log, Pair
from .names import WITNESS, slot
from .recorded import (
    AGAIN,
    REST,
    Input,
    Past,
    begun_at,
    inputs_of,
    open_end_of,
    queue_of,
    rest_of,
    witnesses_of,
)
from .recorded_dice import Fresh, NoFresh
from .rerun import Made, Outcome, Rerun, Stopped
from .state import State
from .steps import Roll
from .values import GM, Veil

_LEFT = "Left of the amend: "
"""Begins the text of what is left, for people who read the log."""

_TO_GM = Veil(audience=(GM,), fields=Note.KEPT)


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """Where an amend goes back to, what it puts in, and the dice it has.

    `old` is the record that is run again, all of it also where the amend goes on; `record` are its inputs, `dropped`
    those that an edit leaves out.
    """

    to: int
    past: Past
    old: tuple[Pair, ...]
    record: tuple[Input, ...]
    dropped: tuple[Input, ...] = ()


class AmendPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What an amend does: to which version it goes back, and what becomes of everything since.

    `head` is the version it was made at. `outcomes` tells of every command since whether it is done again or why not,
    `left` how many are still to come, `changed` which steps come out otherwise, `differences` how the fight stands then,
    `events` what stands behind the rewind then. `stopped` says what is missing before the record ends: a die, an
    answer, a declaration; what would follow is not known then. `drawn` are the slots whose dice were thrown anew.
    """

    to: int
    head: int
    outcomes: tuple[Outcome, ...]
    left: int
    changed: tuple[ChangedStep, ...]
    differences: tuple[Difference, ...]
    stopped: Stopped | None
    drawn: tuple[str, ...]
    events: tuple[Any, ...]


# -- where it goes back to


def prepare(log: Log, amend: c.Amend) -> Prepared | Refused:
    """Where to go back to, and with what. Raises InputError for edits that do not fit what they name.

    Refused: not-present, not-amendable, nothing-to-go-on, dice-thrown (the dice policy takes no roll back).
    """
    if len(amend.edits) > AMEND_EDITS:
        raise InputError(f"more than {AMEND_EDITS} edits", path="$.edits", value=len(amend.edits))
    is_bare = amend.go_on and all(isinstance(edit, c.Supply) for edit in amend.edits)
    check_text(amend.reason, "$.reason", most=TEXT_LENGTH, empty=is_bare)
    prepared = _going_on(log, amend) if amend.go_on else _going_back(log, amend)
    is_forbidden = log.opened is not None and log.opened.undo_dice == "forbid"
    if is_forbidden and isinstance(prepared, Prepared) and any(type(event) is Roll for _, event in prepared.old):
        return Refused("dice-thrown")
    return prepared


def _going_back(log: Log, amend: c.Amend) -> Prepared | Refused:
    commands = _Commands(log)
    places = [commands.place(edit.at, f"$.edits[{i}].at") for i, edit in enumerate(amend.edits) if not isinstance(edit, c.Supply)]
    if amend.since:
        places.append(commands.place(amend.since, "$.since"))
    if not places:
        raise InputError("names nothing to change", path="$.edits")
    for found in places:
        if isinstance(found, Refused):
            return found
    to = _before_witnesses(log, min(found for found in places if isinstance(found, int)) - 1)
    record = inputs_of(log, log.line(), to)
    inputs, dropped = _edited(log, record, amend)
    return _prepared(log, log.head, to, amend, to=to, record=record, inputs=inputs, dropped=dropped)


def _going_on(log: Log, amend: c.Amend) -> Prepared | Refused:
    """An amend that stopped: what it had not put in yet."""
    origin, rest = origin_of(log, log.head), _rest(log)
    if not origin or not rest:
        return Refused("nothing-to-go-on")
    since = log.events[origin - 1].to
    record = inputs_of(log, log.line(origin - 1), since)
    inputs, dropped = _edited(log, queue_of(rest, record), amend)
    return _prepared(log, origin - 1, since, amend, to=log.head, record=record, inputs=inputs, dropped=dropped)


def _prepared(
    log: Log, end: int, since: int, amend: c.Amend, *, to: int, record: list[Input], inputs: list[Input], dropped: list[Input]
) -> Prepared:
    """All there is to run the line that ended at a version again behind `to`, as far as it follows `since`."""
    line, begin = log.line(end), tuple(log.line(to))
    old = [pair for pair in line if pair[0] > since]
    open_end, last_turn = open_end_of(line, record)
    past = Past(
        line=begin,
        inputs=(*_supplied(amend), *inputs),
        rolls=rolls_left(log, end, since),
        witnesses=witnesses_of(line, since),
        open_end=open_end,
        last_turn=last_turn,
    )
    return Prepared(to=to, past=past, old=tuple(old), record=tuple(record), dropped=tuple(dropped))


class _Commands:
    """The commands of the present line, by the versions they hold."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._commits = sorted(present(log))

    def place(self, version: int, path: str) -> int | Refused:
        """The first version of the command that a version belongs to. Raises InputError for one that is not there."""
        if not 1 <= version <= self._log.head:
            raise InputError(f"no such version; the log ends at {self._log.head}", path=path, value=version)
        at = bisect_right(self._commits, version, key=itemgetter(0)) - 1
        if at < 0 or self._commits[at][1] < version:
            return Refused("not-present", (version,))
        begun = begun_at(self._log, version)
        if begun <= self._log.opened_at or not inputs_of(self._log, [(begun, self._log.events[begun - 1])], 0):
            return Refused("not-amendable", (version,))
        return begun


def _before_witnesses(log: Log, to: int) -> int:
    """A version from which no dice wait for their witness, who would have to witness them again, and no command is half done."""
    line = log.line(to)
    while to > log.opened_at and (_is_half(log, line[-1][0]) or any(f"|ask.{WITNESS}" in name for name in fold_all(line).prompts)):
        last = line[-1][0]  # where a group begins, that is not `to`
        to = next(first for first, end, _, _ in present(log) if end == last) - 1
        line = log.line(to)
    return to


def _is_half(log: Log, last: int) -> bool:
    """Whether the commit that ends at a version is the first part of a command whose second came later."""
    first, end, caller, command = log.commits[bisect_right(log.commits, last, key=itemgetter(0)) - 1]
    return bool(command) and end == last and log.commands[caller, command].first == first and log.commands[caller, command].last > last


def _rest(log: Log) -> str:
    """What the newest amend on the way to the present had left to do, "" where that is nothing."""
    found: list[str] = []
    group = 0
    for first, _, _, command in present(log):
        group = group or log.group_of(first)
        if not group:
            continue  # what people did since it stopped
        if not command.startswith(f"{AGAIN}{group}{REST}"):
            break
        found.append(log.event(first).text or "")
    return "".join(reversed(found)).removeprefix(_LEFT)


# -- what is edited


def _edited(log: Log, inputs: list[Input], amend: c.Amend) -> tuple[list[Input], list[Input]]:
    """Inputs with the edits made, and those that are left out."""
    found: dict[int, _Place] = {one.version: _Place(one) for one in inputs if one.version}
    for number, edit in enumerate(amend.edits):
        if isinstance(edit, c.Supply):
            continue
        path = f"$.edits[{number}]"
        if not 1 <= edit.at <= log.head:
            raise InputError(f"no such version; the log ends at {log.head}", path=f"{path}.at", value=edit.at)
        place = found.get(begun_at(log, edit.at))
        if place is None:
            raise InputError("the command there is not among those that are run again", path=f"{path}.at", value=edit.at)
        place.edit(edit, amend.reason, path)
    made: list[Input] = []
    for one in inputs:
        made += found[one.version].inputs() if one.version else [one]
    return made, [place.one for place in found.values() if place.is_dropped]


class _Place:
    """A recorded command and what is put in around it."""

    def __init__(self, one: Input) -> None:
        self.one = one
        self.is_dropped = False
        self._before: list[Any] = []
        self._after: list[Any] = []
        self._reason: Note | None = None

    def edit(self, edit: c.Edit, reason: str, path: str) -> None:
        """Make one edit."""
        if isinstance(edit, c.Word):
            (self._after if edit.after else self._before).append(Overrule(reason=reason, effect=edit.effect))
            return
        if self.is_dropped:
            raise InputError("the command there is dropped already", path=f"{path}.at")
        if isinstance(edit, c.Drop):
            self.is_dropped = True
        elif not isinstance(edit, c.Supply):
            _check_kind(edit, self.one.event, path)
            self.one = replace(self.one, edits=(*self.one.edits, edit))
        is_open = self.one.event.veil is UNSET
        self._reason = Note(text=reason, veil=UNSET if is_open else _TO_GM)  # a word gives its reason itself

    def inputs(self) -> Iterator[Input]:
        """What is put in here, in order."""
        version = self.one.version
        for event in (*self._before, *([self._reason] if self._reason is not None else [])):
            yield Input(version=0, event=event, precedes=0 if self.is_dropped else version, during=self.one.during)
        if not self.is_dropped:
            yield self.one
        for event in self._after:
            yield Input(version=0, event=event, follows=version, during=self.one.during)


def _check_kind(edit: c.Reanswer | c.Redeclare | c.Resheet, event: Any, path: str) -> None:
    """Raise InputError for an edit of another kind of command."""
    wanted: tuple[type, str] = {
        c.Reanswer: (Choose, "answer"),
        c.Redeclare: (Declare, "declaration"),
        c.Resheet: (Join, "join"),
    }[type(edit)]
    if type(event) is not wanted[0]:
        raise InputError(f"the command there is no {wanted[1]}, it opens with a {KIND_OF[type(event)]}", path=f"{path}.at", value=edit.at)
    if type(event) is Choose and event.key.startswith(WITNESS):
        raise InputError("the command there witnesses dice, which nobody can do otherwise", path=f"{path}.at", value=edit.at)


def _supplied(amend: c.Amend) -> Iterator[Input]:
    for number, edit in enumerate(amend.edits):
        if isinstance(edit, c.Supply):
            action, _, where = edit.slot.rpartition("|")
            parts = where.split(".")
            if not action or len(parts) != 3 or parts[0] != "ask" or not parts[2].isdecimal():
                raise InputError("is not the slot of a prompt", path=f"$.edits[{number}].slot", value=edit.slot)
            if parts[1].startswith(WITNESS):
                raise InputError("nobody can witness dice for somebody else", path=f"$.edits[{number}].slot", value=edit.slot)
            answer = Choose(action=action, key=parts[1], occurrence=int(parts[2]), who=edit.who, value=edit.value)
            yield Input(version=0, event=answer)


# -- running it


def run(book: RuleBook, log: Log, prepared: Prepared, fresh: Fresh) -> Rerun:
    """Put everything in again. Raises what the rules raise, and InputError for a new word that cannot be said there."""
    rerun = Rerun(book, log, prepared.past, fresh, log.head + 1, prepared.dropped)  # the rewind comes first
    rerun.run()
    return rerun


def refusal(rerun: Rerun) -> Refused | None:
    """Why what was run again is not to be appended; None where it is.

    The rules' own word on what is new, amend-failed, or, where nothing could be put in at all, what is missing.
    """
    stopped = rerun.stopped
    if (failed := _failure(rerun)) is not None or rerun.made:
        return failed
    if stopped is None:
        return Refused("nothing-to-go-on")
    if rerun.dice_refused is not None:
        return rerun.dice_refused
    return Refused("turn-held", stopped.who) if stopped.why == "turn" else Refused("prompt-open", (stopped.what,))


def _failure(rerun: Rerun) -> Refused | None:
    """Why what is new cannot be carried out; None where it can."""
    stopped = rerun.stopped
    if rerun.refused is not None or stopped is None or stopped.why != "failed":
        return rerun.refused
    return Refused("amend-failed", (stopped.what, stopped.text))


def told(log: Log, prepared: Prepared, rerun: Rerun, before: State, head: int) -> AmendPlan:
    """What running again did, beside what was. `head` is where the log ended before it."""
    events = [event for made in rerun.made for event, _ in made.events] + rerun.partial
    return AmendPlan(
        to=prepared.to,
        head=head,
        outcomes=tuple(sorted(rerun.outcomes, key=lambda one: one.version)),
        left=sum(1 for one in rerun.queue if one.version),
        changed=changed_steps(rerun.reached(log, prepared.old), events),
        differences=differences(before, rerun.exchange.state),
        stopped=rerun.stopped,
        drawn=tuple([slot(roll) for roll in rerun.drawn]),
        events=tuple(events),
    )


def plan(book: RuleBook, log: Log, amend: c.Amend, before: State) -> AmendPlan | Refused:
    """What an amend would do, up to the first die that does not exist."""
    prepared = prepare(log, amend)
    if isinstance(prepared, Refused):
        return prepared
    rerun = run(book, log, prepared, NoFresh())
    if (failed := _failure(rerun)) is not None:
        return failed
    return told(log, prepared, rerun, before, log.head)


# -- what is appended


def commits(
    rerun: Rerun,
    prepared: Prepared,
    *,
    session: str,
    head: int,
    previous: str,
    sender: Sender,
    salt: Callable[[], str],
) -> list[Commit]:
    """The group that an amend appends: its rewind under the sender's own command, then a commit for everything put in again.

    Where it stopped, notes to the game master alone tell at the end what is left of the record.
    """
    rest = [Note(text=text, veil=_TO_GM) for text in _left(rerun, prepared)]
    group = _Group(session, head, previous, 1 + len(rerun.made) + len(rest), salt)
    # what hides a word hides that it was asked for: the digest of the amend would tell whoever guesses it
    hides = bool(rest) or any(_is_kept(made.events) for made in rerun.made if not made.input.version or made.input.edits)
    group.add((through_bytes(Rewind(to=prepared.to, why=AMEND)),), sender, secret=hides)
    for number, made in enumerate(rerun.made):
        group.add(made.events, _again(sender, made, head + 1, number), secret=_is_kept(made.events))
    for number, note in enumerate(rest):
        command = c.Note(text=note.text or "", secret=True)
        name = f"{AGAIN}{head + 1}{REST}{number}"
        group.add((through_bytes(note),), replace(sender, command=name, digest=_digest(name, command), part=0), secret=True)
    return group.commits


def _is_kept(events: tuple[tuple[Any, bytes | None], ...]) -> bool:
    """Whether what a command opens with is kept from somebody."""
    return events[0][0].veil is not UNSET


def _left(rerun: Rerun, prepared: Prepared) -> Iterator[str]:
    """What is left where it stopped, in texts that a note can hold."""
    if rerun.stopped is None or not rerun.queue:
        return
    text = _LEFT + rest_of(rerun.queue, list(prepared.record))
    for start in range(0, len(text), TEXT_LENGTH):
        yield text[start : start + TEXT_LENGTH]


def _again(sender: Sender, made: Made, group: int, number: int) -> Sender:
    """Who sends a command that is run again: the game master, for whoever had sent it."""
    one = made.input
    name = f"{AGAIN}{group}~{one.version or f'new-{number}'}"
    behalf = "" if one.by == GM else one.by
    return replace(sender, command=name, digest=_digest(name, made.command), on_behalf=behalf, part=0)


def _digest(name: str, command: c.Command) -> str:
    return c.Request(id=name, command=command).digest()


class _Group:
    """Commits of one group, one after the other."""

    def __init__(self, session: str, head: int, previous: str, size: int, salt: Callable[[], str]) -> None:
        self.commits: list[Commit] = []
        self._session, self._salt = session, salt
        self._next, self._previous = head + 1, previous
        self._name, self._size = f"amend-{head + 1}", size

    def add(self, events: tuple[tuple[Any, bytes | None], ...], sender: Sender, *, secret: bool) -> None:
        """Write the next commit; a secret one keeps its sender."""
        commit = write_commit(
            session=self._session,
            first=self._next,
            previous=self._previous,
            events=events,
            sender=sender,
            salt=self._salt,
            secret=secret,
            group=Group(id=self._name, index=len(self.commits) + 1, size=self._size),
        )
        self._next, self._previous = commit.last + 1, commit.digest
        self.commits.append(commit)


__all__ = ["AmendPlan", "Prepared", "commits", "plan", "prepare", "refusal", "run", "told"]
