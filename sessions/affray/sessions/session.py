"""A session: one fight, its log, and everything a client may ask of it (design, section 7).

A command is decided, its events are appended with the expected version, and only then is anybody told. Reads take a
reader and give what that reader may see; without one it is the public's.

What a session is made of: `record.py` holds its log as it is stored, `deciding.py` has the rules at work on it,
`notices.py` tells subscribers, `verbs.py` makes commands.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

from affray.kernel import (
    GM,
    PUBLIC,
    AmendPlan,
    Audit,
    Busy,
    Form,
    InputError,
    Log,
    Manifest,
    Odds,
    Prompt,
    Refused,
    Request,
    State,
    Verdict,
    check_request,
    commands,
    verify,
)

from .deciding import Deciding, Problem, Rulebooks
from .entropy import Entropy
from .notices import Notice, Notices
from .reading import Recorded
from .record import Record
from .stores import Store
from .verbs import Answer, Verbs


class Session(Verbs):
    """One fight. Made by `Engine.start` or `Engine.load`; not safe for use from several threads at once."""

    def __init__(self, store: Store, books: Rulebooks, entropy: Entropy, session: str) -> None:
        self.id = session
        self._store = store
        self._books = books
        self._entropy = entropy
        self._is_busy = False
        self._record = Record(store, session)
        self._notices = Notices(self._record)
        self._deciding = Deciding(self._record, books, entropy)
        self._record.remember()

    # -- what stands

    @property
    def head(self) -> int:
        """The newest version."""
        return self._log.head

    @property
    def digest(self) -> str:
        """The digest of the newest commit."""
        return self._record.chain.digest

    @property
    def is_copy(self) -> bool:
        """Whether kept parts or the dice secret are missing, so that nothing can be decided here."""
        return self._deciding.is_copy

    @property
    def problem(self) -> Problem | None:
        """Why nothing can be decided: the rules are missing, failed, or no longer give what was recorded. None: they can."""
        return self._deciding.problem

    @property
    def is_witnessed(self) -> bool:
        """Whether dice wait for a nonce of another player than the one who chose."""
        return self._log.opened is not None and self._log.opened.witness

    @property
    def manifest(self) -> Manifest:
        """The rules in force now."""
        manifest = self.state(reader=GM).manifest
        assert manifest is not None, "a log begins with `open`"
        return manifest

    @property
    def lines(self) -> Sequence[bytes]:
        """The commits' lines as they are stored, kept parts included."""
        return tuple(self._record.lines)

    @property
    def ends(self) -> tuple[int, ...]:
        """The versions that end a command: those a fork may begin behind."""
        return tuple(self._log.ends[1:])

    @property
    def header(self) -> bytes:
        """The header line."""
        return self._record.chain.header

    def state(self, at: int | None = None, *, reader: str = PUBLIC) -> State:
        """The state at a version (default: now) as a reader may see it. Raises InputError for a version that is not there."""
        self._check_version(at)
        exchange = self._deciding.exchange
        if at is None and exchange is not None and (reader == GM or self._record.hides_nothing):
            return exchange.state
        return self._record.state(at, reader)

    def history(self, since: int = 0, *, reader: str = PUBLIC) -> tuple[Recorded, ...]:
        """Every event after a version as a reader may see it, undone ones marked."""
        self._check_version(since)
        return self._record.reader(reader).history(since)

    def prompts(self, who: str = "", *, reader: str = PUBLIC) -> dict[str, Prompt]:
        """Open prompts by slot, or only those that wait for one combatant."""
        found = self.state(reader=reader).prompts
        return {
            name: prompt
            for name, prompt in found.items()
            if not who or (who in prompt.ask.who and who not in prompt.answers)
        }

    def actions(self, who: str) -> tuple[Form, ...]:
        """What a combatant may declare now."""
        exchange = self._deciding.ready()
        if who not in exchange.state.combatants:
            raise InputError("no such combatant", value=who)
        if exchange.state.prompts or exchange.state.over:
            return ()
        return exchange.rules.actions(exchange.window(exchange.rules), who)

    def verify(self, against: tuple[int, str] | None = None) -> Verdict:
        """Check bytes, chain, arithmetic and dice of the whole log as it is stored."""
        return verify(self._store.read(self.id), against)

    def amend_plan(self, amend: commands.Amend) -> AmendPlan | Refused:
        """What an amend would do, up to the first die that does not exist. Nothing is drawn or appended.

        Raises InputError for edits that do not fit what they name, and the problem with the rules where there is one.
        """
        return self._deciding.plan(amend)

    @property
    def amended(self) -> AmendPlan | None:
        """What the newest amend of this object did, as its plan tells what it would do; None before any."""
        return self._deciding.amended

    def audit(self, *, reader: str = GM) -> Audit:
        """Carry the log out again with its rules, as it is stored, and tell where record and rules part."""
        from .auditing import audit_stored

        return audit_stored(self._store, self.id, self._books, reader=reader)

    def odds(self, actor: str, name: str, *targets: str, **how: Any) -> tuple[Odds, ...] | Refused:
        """What an action would do if it were declared now, exactly where that can be counted (see `odds_of_action`).

        Nothing is drawn or appended. Raises what declaring raises.
        """
        from .odds import odds_of_action

        return odds_of_action(self, actor, name, *targets, **how)

    def subscribe(self, callback: Callable[[Notice], None], *, reader: str = PUBLIC) -> Callable[[], None]:
        """Call back after every commit. Returns what ends the subscription; a callback that raises is logged and kept."""
        return self._notices.subscribe(callback, reader)

    # -- commands

    def do(self, request: Request) -> Answer:
        """Decide one command and append what it makes.

        Refusals come back as `Answer.refused` and change nothing. Raises InputError for what cannot be read, Breach,
        RulesDrifted or PluginUnavailable when the rules fail, VersionConflict when somebody else appended (the session
        has caught up then, so the same request may be sent again) and StoreError; Busy when a plugin asks for it from
        within a command. Subscribers are told at the end, whatever was raised, of what is stored.
        """
        check_request(request)
        if self._is_busy:
            raise Busy(f"session {self.id} is in the middle of another command")
        self._is_busy = True
        try:
            return self._do(request)
        finally:
            self._is_busy = False
            self._notices.tell()
            exchange = self._deciding.exchange
            self._record.remember(exchange.state if exchange is not None and exchange.head == self.head else None)

    def request(
        self, command: commands.Command, *, id: str = "", caller: str = GM, nonce: str = "", seen: int = -1
    ) -> Answer:
        """Do a command under an id of its own."""
        while not id:
            name = f"c-{self._entropy.name()}"
            id = name if (caller, name) not in self._log.commands else ""
        return self.do(Request(id=id, command=command, caller=caller, nonce=nonce, seen=seen))

    # -- inside

    @property
    def _log(self) -> Log:
        return self._record.log

    def _do(self, request: Request) -> Answer:
        if (before := self._answered(request)) is not None:
            return before
        if self.is_copy:
            return Answer(refused=Refused("partial-copy"))
        first = self.head + 1
        if isinstance(request.command, commands.Amend):
            outcome = self._deciding.amend(request, request.command)
        else:
            outcome = self._deciding.run(request)
        if isinstance(outcome, Refused):
            return Answer(refused=outcome)
        if outcome:
            return self._answer(request, first)
        answered = self._answered(request)
        assert answered is not None, "the store had it already"
        return answered

    def _answered(self, request: Request) -> Answer | None:
        """The first answer, where this caller has used this command id before."""
        before = self._log.commands.get((request.caller, request.id))
        if before is None:
            return None
        if before.digest != request.digest():
            return Answer(refused=Refused("command-id-used", (request.id,)))
        if before.parts == 1:
            self._deciding.try_to_complete()
        return self._answer(request, before.first, repeated=True)

    def _answer(self, request: Request, first: int, *, repeated: bool = False) -> Answer:
        ends = self._log.ends
        last = ends[bisect_left(ends, self._log.commands[request.caller, request.id].last)]  # of a group, all of it
        if request.caller == GM:
            events = tuple(self._log.events[first - 1 : last])
        else:
            log = self._record.reader(request.caller).log
            events = tuple([log.event(version) for version in range(first, last + 1)])
        return Answer(first=first, last=last, events=events, repeated=repeated)

    def _check_version(self, at: int | None) -> None:
        if at is not None and not 0 <= at <= self.head:
            raise InputError(f"no such version; the log ends at {self.head}", path="version", value=at)


__all__ = ["Answer", "Notice", "Problem", "Rulebooks", "Session"]
