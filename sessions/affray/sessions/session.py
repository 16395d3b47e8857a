"""A session: one fight, its log, and everything a client may ask of it (design, section 7).

A command is decided, its events are appended with the expected version, and only then is anybody told. Reads take a
reader and give what that reader may see; without one it is the public's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from affray.kernel import (
    GM,
    PUBLIC,
    Accepted,
    Breach,
    Chain,
    CloseAction,
    Commit,
    DiceError,
    Exchange,
    Form,
    Held,
    InputError,
    Json,
    Log,
    Manifest,
    Modifier,
    Num,
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
    check_id,
    check_text,
    commands,
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

Problem = Breach | RulesDrifted | PluginUnavailable

NO_RULES_NEEDED = (commands.Note, commands.Undo, commands.Redo, commands.Reveal, commands.RevealDice)
"""What can be done while the rules cannot: words, going back, opening."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a command: refused, or the versions it appended and their events as the caller may read them.

    True when it was accepted. `repeated` says that the same command had been answered before and nothing was appended.
    """

    refused: Refused | None = None
    first: int = 0
    last: int = 0
    events: tuple[Any, ...] = ()
    repeated: bool = False

    def __bool__(self) -> bool:
        return self.refused is None


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


class Session:
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
        self._read()
        if self._log.head and not self.is_copy:
            self._resume()
            self._complete()

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
        has caught up then, so the same request may be sent again) and StoreError.
        """
        check_id(request.id, "a command's id", "$.id")
        check_id(request.caller, "a caller", "$.caller")
        check_text(request.on_behalf, "$.on_behalf", empty=True)
        check_text(request.nonce, "$.nonce", empty=True)
        if (before := self._answered(request)) is not None:
            return before
        if self.is_copy:
            return Answer(refused=Refused("partial-copy"))
        if isinstance(request.command, NO_RULES_NEEDED) or self._closes(request):
            exchange = self._exchange or self._folded()
        else:
            exchange = self._deciding()
        assert self._host is not None
        nonce = request.nonce if request.caller != GM else ""
        self._host.begin(nonce)
        try:
            decided = decide(exchange, self._log, request, self._host)
        except Exception:
            self._wind_back(exchange)
            raise
        if isinstance(decided, Refused):
            self._wind_back(exchange)
            return Answer(refused=decided)
        first = self._log.head + 1
        self._append(decided, self._sender(request, 1 if decided.goes_on else 0), request.is_secret, nonce)
        self._catch_up(exchange, decided, request)
        return self._answer(request, first)

    def request(self, command: commands.Command, *, id: str = "", caller: str = GM, nonce: str = "") -> Answer:
        """Do a command under an id of its own."""
        return self.do(Request(id=id or f"c-{self._entropy.name()}", command=command, caller=caller, nonce=nonce))

    def join(
        self,
        id: str,
        name: str = "",
        *,
        side: str,
        sheet: Mapping[str, Json],
        controller: str = GM,
        pools: Mapping[str, Num] | None = None,
        conditions: tuple[Held, ...] = (),
        secret: bool | None = None,
        player: str = "",
        caller: str = GM,
        nonce: str = "",
    ) -> Answer:
        """Bring a combatant into the fight."""
        command = commands.Join(
            id=id,
            name=name or id,
            side=side,
            controller=controller,
            sheet=dict(sheet),
            pools=dict(pools or {}),
            conditions=conditions,
            secret=secret,
            player=player,
        )
        return self.request(command, caller=caller, nonce=nonce)

    def leave(self, id: str, *, caller: str = GM) -> Answer:
        """Take a combatant out of the fight."""
        return self.request(commands.Leave(id=id), caller=caller)

    def begin(self) -> Answer:
        """Start the clock."""
        return self.request(commands.Begin())

    def close(self, code: str = "closed") -> Answer:
        """End the fight."""
        return self.request(commands.Close(code=code))

    def declare(
        self,
        actor: str,
        name: str,
        *targets: str,
        rows: tuple[Modifier, ...] = (),
        secret: bool = False,
        id: str = "",
        caller: str = GM,
        nonce: str = "",
        **params: Json,
    ) -> Answer:
        """Declare an action; its parameters are given by name."""
        command = commands.Declare(
            actor=actor, name=name, targets=targets, params=params, rows=rows, secret=secret
        )
        return self.request(command, id=id, caller=caller, nonce=nonce)

    def end_turn(self, actor: str, *, caller: str = GM) -> Answer:
        """End a turn by choice, where the system has an action `end-turn`."""
        return self.declare(actor, "end-turn", caller=caller)

    def answer(self, slot: str, who: str, value: str, *, id: str = "", caller: str = GM, nonce: str = "") -> Answer:
        """Answer a prompt."""
        return self.request(commands.Answer(slot=slot, who=who, value=value), id=id, caller=caller, nonce=nonce)

    def report(
        self, slot: str, who: str, faces: Sequence[Sequence[int]], *, id: str = "", caller: str = GM, nonce: str = ""
    ) -> Answer:
        """Report dice rolled at the table, one chain of faces a die."""
        chains = tuple(tuple(chain) for chain in faces)
        return self.request(commands.Report(slot=slot, who=who, faces=chains), id=id, caller=caller, nonce=nonce)

    def note(self, text: str, *, secret: bool = False, caller: str = GM) -> Answer:
        """Write into the log."""
        return self.request(commands.Note(text=text, secret=secret), caller=caller)

    def overrule(self, reason: str, effect: Any) -> Answer:
        """The game master sets something."""
        return self.request(commands.Overrule(reason=reason, effect=effect))

    def reveal(self, version: int) -> Answer:
        """Open the kept part of an event to everybody."""
        return self.request(commands.Reveal(version=version))

    def reveal_dice(self, chain: str = "open") -> Answer:
        """End an epoch of the dice and open its secret."""
        return self.request(commands.RevealDice(chain=chain))

    def undo(self, action: str = "", *, caller: str = GM) -> Answer:
        """Take back the last action, or the one named."""
        return self.request(commands.Undo(action=action), caller=caller)

    def redo(self, *, caller: str = GM) -> Answer:
        """Return to where the newest undo came from."""
        return self.request(commands.Redo(), caller=caller)

    # -- inside

    def _read(self) -> None:
        """Read the log from the store, every byte checked. Raises Damaged, NoSuchSession."""
        stream = iter(self._store.read(self.id))
        self._chain = Chain(next(stream))
        self._log = Log()
        self._lines: list[bytes] = []
        self._last_sender: Sender | None = None
        for line in stream:
            commit = self._chain.accept(line)
            self._log.add(commit)
            self._lines.append(line)
            self._last_sender = commit.sender
        self._readers.clear()
        secret = self._store.secret(self.id)
        self._host: HostDice | None = None
        if secret is not None:
            self._host = HostDice(self._log, msgspec.json.decode(secret, type=Secret), self._part)

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
            self._exchange = Exchange.resume(self._books.rules, log.line(), head=log.head, openings=log.openings)
            self.problem = None
        except (Breach, RulesDrifted, PluginUnavailable, DiceError) as error:
            self._exchange = None
            self.problem = error if isinstance(error, Problem) else Breach("?", "resolve", str(error))
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
        if before.parts == 1 and before.last == self._log.head:
            self._complete()
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

    def _append(self, decided: Accepted, sender: Sender, secret: bool, nonce: str = "") -> None:
        """Append one commit, then tell everybody."""
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
        try:
            self._store.append(self.id, (commit,), self._log.head)
        except StoreError:  # somebody else was first, or it is in doubt: go by what is stored
            self._exchange = None
            self._read()
            if not self.is_copy:
                self._resume()
            raise
        self._chain.advance(commit)
        self._log.add(commit)
        self._lines.append(commit.line)
        self._last_sender = sender
        assert self._host is not None
        self._host.committed()
        self._tell(commit)

    def _tell(self, commit: Commit) -> None:
        for callback, reader in tuple(self._subscribers):
            events = commit.events
            if reader != GM:
                log = self._reader(reader).log
                events = tuple(log.event(version) for version in range(commit.first, commit.last + 1))
            try:
                callback(Notice(session=self.id, first=commit.first, last=commit.last, events=events))
            except Exception as error:  # a subscriber's fault is not the fight's
                get_logger().error("subscriber failed", session=self.id, version=commit.last, problem=repr(error))

    def _catch_up(self, exchange: Exchange, decided: Accepted, request: Request) -> None:
        """Bring the exchange to the log's head, and run the second part of a command that has one."""
        if exchange is self._exchange and decided.fed:
            return
        if exchange is not self._exchange or isinstance(decided.events[0][0], Rewind):
            self._exchange = None
            self._resume()
        else:
            try:
                for event, _ in decided.events:
                    exchange.feed(event, live=True)
            except Exception:
                self._exchange = None
                self._resume()
                raise
        if decided.goes_on or self._closes(request):
            self._second_part(self._sender(request, 2), request.is_secret)

    def _second_part(self, sender: Sender, secret: bool) -> None:
        """What follows reported dice, or an action that was closed because its rules could not run."""
        exchange = self._exchange
        if exchange is None:
            return
        assert self._host is not None
        self._host.begin("")
        try:
            more = go_on(exchange, self._host)
        except Exception:
            self._wind_back(exchange)
            raise
        if isinstance(more, Accepted) and more.events:
            self._append(more, sender, secret)
        else:
            self._wind_back(exchange)

    def _complete(self) -> None:
        """Run the second part of a dice report that was cut off before it."""
        sender = self._last_sender
        if sender is None or sender.part != 1 or self._exchange is None:
            return
        again = msgspec.structs.replace(sender, part=2, time=self._entropy.now())
        secret = False
        try:
            self._second_part(again, secret)
        except (Breach, PluginUnavailable) as error:
            self.problem = error
            get_logger().warning("second part failed", session=self.id, version=self._log.head, problem=str(error))
