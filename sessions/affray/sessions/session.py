"""A session: one fight, its log, and everything a client may ask of it (design, section 7).

A command is decided, its events are appended with the expected version, and only then is anybody told. Reads take a
reader and give what that reader may see; without one it is the public's.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec

from affray.kernel import (
    GM,
    PUBLIC,
    Accepted,
    AffrayError,
    Breach,
    Busy,
    Chain,
    CloseAction,
    Commit,
    Exchange,
    Form,
    InputError,
    Log,
    Manifest,
    PluginUnavailable,
    Prompt,
    Refused,
    Request,
    Rewind,
    RulesDrifted,
    RuleSet,
    Sender,
    State,
    StoreError,
    Verdict,
    check_request,
    commands,
    counted,
    decide,
    fold_all,
    go_on,
    part_of,
    verify,
    write_commit,
)

from .entropy import Entropy, HostDice, Secret
from .logs import get_logger
from .reading import ReaderLog, Recorded
from .stores import Store
from .verbs import Answer, Verbs

Problem = Breach | RulesDrifted | PluginUnavailable

NO_RULES_NEEDED = (commands.Note, commands.Undo, commands.Redo, commands.Reveal, commands.RevealDice)
"""What can be done while the rules cannot: words, going back, opening."""


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """What a subscriber gets for every commit: its versions and its events as the subscriber may read them."""

    session: str
    first: int
    last: int
    events: tuple[Any, ...]


class Rulebooks(Protocol):
    """Where a session gets the rules of a manifest from."""

    def rules(self, manifest: Manifest) -> RuleSet:
        """The rules of a manifest. Raises PluginUnavailable."""
        ...


class Session(Verbs):
    """One fight. Made by `Engine.start` or `Engine.load`; not safe for use from several threads at once."""

    def __init__(self, store: Store, books: Rulebooks, entropy: Entropy, session: str) -> None:
        self.id = session
        self._store = store
        self._books = books
        self._entropy = entropy
        self._subscribers: list[tuple[Callable[[Notice], None], str]] = []
        self._readers: dict[str, ReaderLog] = {}
        self._exchange: Exchange | None = None
        self.problem: Problem | None = None
        """Why nothing can be decided: the rules are missing, failed, or no longer give what was recorded. None: they can."""
        self._is_busy = False
        self._is_telling = False
        self._read()
        self._told = self._log.head
        if self._log.head and not self.is_copy:
            self._resume()
            self._try_to_complete()

    # -- what stands

    @property
    def head(self) -> int:
        """The newest version."""
        return self._log.head

    @property
    def digest(self) -> str:
        """The digest of the newest commit."""
        return self._chain.digest

    @property
    def is_copy(self) -> bool:
        """Whether kept parts or the dice secret are missing, so that nothing can be decided here."""
        return self._log.is_partial or self._host is None

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
        return tuple(self._lines)

    @property
    def header(self) -> bytes:
        """The header line."""
        return self._chain.header

    def state(self, at: int | None = None, *, reader: str = PUBLIC) -> State:
        """The state at a version (default: now) as a reader may see it. Raises InputError for a version that is not there."""
        self._check_version(at)
        if reader == GM:
            if at is None and self._exchange is not None:
                return self._exchange.state
            return fold_all(self._log.line(at))
        return self._reader(reader).state(at)

    def history(self, since: int = 0, *, reader: str = PUBLIC) -> tuple[Recorded, ...]:
        """Every event after a version as a reader may see it, undone ones marked."""
        self._check_version(since)
        return self._reader(reader).history(since)

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
        exchange = self._deciding()
        if who not in exchange.state.combatants:
            raise InputError("no such combatant", value=who)
        if exchange.state.prompts or exchange.state.over:
            return ()
        return exchange.rules.actions(exchange.window(exchange.rules), who)

    def verify(self, against: tuple[int, str] | None = None) -> Verdict:
        """Check bytes, chain, arithmetic and dice of the whole log as it is stored."""
        return verify(self._store.read(self.id), against)

    def subscribe(self, callback: Callable[[Notice], None], *, reader: str = PUBLIC) -> Callable[[], None]:
        """Call back after every commit. Returns what ends the subscription; a callback that raises is logged and kept."""
        entry = (callback, reader)
        self._subscribers.append(entry)

        def stop() -> None:
            if entry in self._subscribers:
                self._subscribers.remove(entry)

        return stop

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
            self._tell()

    def request(
        self, command: commands.Command, *, id: str = "", caller: str = GM, nonce: str = "", seen: int = -1
    ) -> Answer:
        """Do a command under an id of its own."""
        while not id:
            name = f"c-{self._entropy.name()}"
            id = name if (caller, name) not in self._log.commands else ""
        return self.do(Request(id=id, command=command, caller=caller, nonce=nonce, seen=seen))

    # -- inside

    def _do(self, request: Request) -> Answer:
        if (before := self._answered(request)) is not None:
            return before
        if self.is_copy:
            return Answer(refused=Refused("partial-copy"))
        if isinstance(request.command, NO_RULES_NEEDED) or self._closes(request):
            exchange = self._exchange or self._folded()
        else:
            self._deciding()
            if (refused := self._complete()) is not None:  # what was cut off comes first
                return Answer(refused=refused)
            exchange = self._deciding()
        assert self._host is not None
        request = counted(self._log, exchange.state, request)
        self._host.begin(request)
        try:
            decided = decide(exchange, self._log, request, self._host)
        except BaseException:
            self._wind_back(exchange)
            raise
        if isinstance(decided, Refused):
            self._wind_back(exchange)
            return Answer(refused=decided)
        first = self._log.head + 1
        # what hides a command's own event hides the command: its digest would tell whoever guesses it
        is_secret = request.is_secret or decided.events[0][0].veil is not msgspec.UNSET
        if not self._append(decided, self._sender(request, 1 if decided.goes_on else 0), is_secret, request.nonce):
            answered = self._answered(request)
            assert answered is not None, "the store had it already"
            return answered
        self._catch_up(exchange, decided)
        if decided.goes_on:
            self._second_part(self._sender(request, 2), is_secret)
        return self._answer(request, first)

    def _read(self) -> None:
        """Read the log from the store, every byte checked. Raises Damaged, NoSuchSession."""
        stream = iter(self._store.read(self.id))
        chain, log, lines, halves = Chain(next(stream)), Log(), list[bytes](), dict[tuple[str, str], Commit]()
        for line in stream:
            commit = chain.accept(line)
            log.add(commit)
            lines.append(line)
            _note_half(halves, commit)
        secret = self._store.secret(self.id)
        self._chain, self._log, self._lines, self._halves = chain, log, lines, halves
        self._readers.clear()
        self._host: HostDice | None = None
        if secret is not None:
            self._host = HostDice(self._log, msgspec.json.decode(secret, type=Secret), self._part)

    def _read_again(self) -> None:
        """Go by what is stored: somebody else was first, or it is in doubt what became of an append."""
        self._exchange = None
        try:
            self._read()
        except StoreError as error:  # the next append finds out
            get_logger().warning("cannot be read", session=self.id, version=self._log.head, problem=str(error))
        if not self.is_copy:
            self._resume()

    def _part(self, version: int) -> str:
        for (first, last, _, _), line in zip(self._log.commits, self._lines, strict=True):
            if first <= version <= last:
                return part_of(line, version)
        raise InputError("no such version", value=version)

    def _check_version(self, at: int | None) -> None:
        if at is not None and not 0 <= at <= self._log.head:
            raise InputError(f"no such version; the log ends at {self._log.head}", path="version", value=at)

    def _reader(self, reader: str) -> ReaderLog:
        if reader not in self._readers:
            self._readers[reader] = ReaderLog(reader, self._chain.header)
        self._readers[reader].catch_up(self._lines)
        return self._readers[reader]

    def _resume(self) -> None:
        log = self._log
        try:
            self._exchange = Exchange.resume(
                self._books.rules,
                log.line(),
                head=log.head,
                openings=log.openings,
                secret_openings=log.secret_openings,
            )
            self.problem = None
        except Exception as error:  # a log that was tampered with may do anything; it can still be read
            self._exchange = None
            drifted = RulesDrifted(log.head, repr(error), "an action that goes on")
            self.problem = error if isinstance(error, Problem) else drifted
            get_logger().warning("resume failed", session=self.id, version=log.head, problem=str(error))

    def _folded(self) -> Exchange:
        """An exchange that runs no rules, for what needs none."""
        log = self._log
        return Exchange(
            self._books.rules, fold_all(log.line()), head=log.head, openings=log.openings, tracked=set()
        )

    def _deciding(self) -> Exchange:
        if self._exchange is None:
            if self.is_copy:
                raise InputError("a copy without kept parts or dice secrets can only be read", path="session", value=self.id)
            self._resume()
        if self._exchange is None:
            assert self.problem is not None
            raise self.problem
        return self._exchange

    def _wind_back(self, exchange: Exchange) -> None:
        """Generators cannot be wound back: an exchange that went ahead of the log is thrown away and built again."""
        if exchange.head != self._log.head:
            self._exchange = None
            self._resume()

    @staticmethod
    def _closes(request: Request) -> bool:
        command = request.command
        return isinstance(command, commands.Overrule) and isinstance(command.effect, CloseAction)

    def _answered(self, request: Request) -> Answer | None:
        """The first answer, where this caller has used this command id before."""
        before = self._log.commands.get((request.caller, request.id))
        if before is None:
            return None
        if before.digest != request.digest():
            return Answer(refused=Refused("command-id-used", (request.id,)))
        if before.parts == 1:
            self._try_to_complete()
        return self._answer(request, before.first, repeated=True)

    def _answer(self, request: Request, first: int, *, repeated: bool = False) -> Answer:
        last = self._log.commands[request.caller, request.id].last
        if request.caller == GM:
            events = tuple(self._log.events[first - 1 : last])
        else:
            reader = self._reader(request.caller)
            events = tuple(reader.log.event(version) for version in range(first, last + 1))
        return Answer(first=first, last=last, events=events, repeated=repeated)

    def _sender(self, request: Request, part: int) -> Sender:
        return Sender(
            caller=request.caller,
            on_behalf=request.on_behalf,
            seen=request.seen,
            command=request.id,
            digest=request.digest(),
            part=part,
            time=self._entropy.now(),
        )

    def _append(self, decided: Accepted, sender: Sender, secret: bool, nonce: str = "") -> bool:
        """Append one commit. False: the same command was stored from elsewhere meanwhile, and nothing was appended."""
        try:
            commit = write_commit(
                session=self.id,
                first=self._log.head + 1,
                previous=self._chain.digest,
                events=decided.events,
                sender=sender,
                salt=self._entropy.salt,
                secret=secret,
                nonce=nonce,
            )
            stored = self._store.append(self.id, (commit,), self._log.head)
        except BaseException:
            self._read_again()
            raise
        if stored[0].digest != commit.digest:
            self._read_again()
            return False
        self._chain.advance(commit)
        self._log.add(commit)
        self._lines.append(commit.line)
        _note_half(self._halves, commit)
        assert self._host is not None
        self._host.committed()
        return True

    def _tell(self) -> None:
        """Tell subscribers of every commit they were not told of, other writers' included, in order."""
        if self._is_telling:  # a subscriber gave a command: whoever tells goes on with it
            return
        self._is_telling = True
        commits = self._log.commits
        try:
            while self._told < self._log.head:
                first, last, _, _ = commits[bisect_right(commits, (self._told + 1,))]
                self._told = last
                for callback, reader in tuple(self._subscribers):
                    self._tell_one(callback, reader, first, last)
                commits = self._log.commits
        finally:
            self._is_telling = False

    def _tell_one(self, callback: Callable[[Notice], None], reader: str, first: int, last: int) -> None:
        log = self._log if reader == GM else self._reader(reader).log
        events = tuple([log.event(version) for version in range(first, last + 1)])
        try:
            callback(Notice(session=self.id, first=first, last=last, events=events))
        except Exception as error:  # a subscriber's fault is not the fight's
            get_logger().error("subscriber failed", session=self.id, version=last, problem=repr(error))

    def _catch_up(self, exchange: Exchange, decided: Accepted) -> None:
        """Bring the exchange to the log's head."""
        if exchange is self._exchange and decided.fed:
            return
        if exchange is not self._exchange or isinstance(decided.events[0][0], Rewind):
            self._exchange = None
            self._resume()
        else:
            try:
                for event, _ in decided.events:
                    exchange.feed(event, live=True)
            except BaseException:
                self._exchange = None
                self._resume()
                raise

    def _second_part(self, sender: Sender, secret: bool) -> Refused | None:
        """What follows reported dice, or an action that was closed because its rules could not run."""
        exchange = self._exchange
        if exchange is None:
            return None
        assert self._host is not None
        self._host.begin(None)
        try:
            more = go_on(exchange, self._host)
        except PluginUnavailable as error:  # whoever has the plugin goes on
            self._wind_back(exchange)
            self.problem = error
            return None
        except BaseException:
            self._wind_back(exchange)
            raise
        if isinstance(more, Refused):
            self._wind_back(exchange)
            return more
        if more.events:
            self._append(more, sender, secret)
        return None

    def _complete(self) -> Refused | None:
        """Run the second part of a command that was cut off before it, if the fight stands still there."""
        if not self._halves or self._exchange is None or self._exchange.is_at_rest:
            return None
        present = {version for version, _ in self._log.line()}
        half = next((half for half in reversed(self._halves.values()) if half.first in present), None)
        if half is None or half.sender is None:
            return None
        sender = msgspec.structs.replace(half.sender, part=2, time=self._entropy.now())
        return self._second_part(sender, half.envelope.sender is None)

    def _try_to_complete(self) -> None:
        try:
            self._complete()
        except AffrayError as error:
            if isinstance(error, Problem):
                self.problem = error
            get_logger().warning("second part failed", session=self.id, version=self._log.head, problem=str(error))


def _note_half(halves: dict[tuple[str, str], Commit], commit: Commit) -> None:
    """Keep in mind the first commit of a command whose second one is not there yet."""
    sender = commit.sender
    if sender is not None and sender.part:
        if sender.part == 1:
            halves[sender.caller, sender.command] = commit
        else:
            halves.pop((sender.caller, sender.command), None)


__all__ = ["Answer", "Notice", "Problem", "Rulebooks", "Session"]
