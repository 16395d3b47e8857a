"""Deciding a session's commands: the rules at work on its record, and what becomes of them when something fails.

What was decided is appended before anything else happens with it. Whatever is not appended leaves nothing behind: the
exchange that went ahead of the record is thrown away and resumed from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

import msgspec

from affray.kernel import (
    GM,
    Accepted,
    AffrayError,
    AmendPlan,
    Breach,
    CloseAction,
    Commit,
    Exchange,
    InputError,
    Manifest,
    Open,
    PluginUnavailable,
    Refused,
    Request,
    Rewind,
    Rules,
    RulesDrifted,
    RuleSet,
    Sender,
    StoreError,
    amend_told,
    amending,
    commands,
    counted,
    decide,
    go_on,
    plan_amend,
    prepare,
    refuses_amend,
    run_again,
    write_commit,
)

from .entropy import Entropy, HostDice, Secret
from .logs import get_logger
from .record import Record

Problem = Breach | RulesDrifted | PluginUnavailable

NO_RULES_NEEDED = (commands.Note, commands.Undo, commands.Redo, commands.Reveal, commands.RevealDice)
"""What can be done while the rules cannot: words, going back, opening."""


class Rulebooks(Protocol):
    """Where a session gets the rules of a manifest from."""

    def rules(self, manifest: Manifest) -> RuleSet:
        """The rules of a manifest. Raises PluginUnavailable."""
        ...


class Deciding:
    """Decides commands and appends what they make. `exchange` is None while the rules cannot go on, `problem` says why."""

    def __init__(self, record: Record, books: Rulebooks, entropy: Entropy) -> None:
        self._record = record
        self._books = books
        self._entropy = entropy
        self.exchange: Exchange | None = None
        self.problem: Problem | None = None
        self.amended: AmendPlan | None = None
        self._noticed: Manifest | None = None
        self._host = self._host_with(self._secret())
        if record.log.head and not self.is_copy:
            self._resume()
            self.try_to_complete()

    @property
    def is_copy(self) -> bool:
        """Whether kept parts or the dice secret are missing, so that nothing can be decided here."""
        return self._record.log.is_partial or self._host is None

    def ready(self) -> Exchange:
        """The exchange at the record's head. Raises InputError for a copy, or the problem with the rules."""
        if self.exchange is None:
            if self.is_copy:
                problem = "a copy without kept parts or dice secrets can only be read"
                raise InputError(problem, path="session", value=self._record.session)
            self._resume()
        if self.exchange is None:
            assert self.problem is not None
            raise self.problem
        return self.exchange

    def run(self, request: Request) -> Refused | bool:
        """Decide a command and append what it makes. False: it was stored from elsewhere meanwhile.

        Raises what `Session.do` raises.
        """
        if isinstance(request.command, NO_RULES_NEEDED) or _closes(request) or self._accepts_others(request):
            exchange = self.exchange or self._folded()
        else:
            self.ready()
            if (refused := self._complete()) is not None:  # what was cut off comes first
                return refused
            exchange = self.ready()
            self._notice_other_rules(exchange)
        assert self._host is not None
        request = counted(self._record.log, exchange.state, request)
        self._host.begin(request)
        try:
            decided = decide(exchange, self._record.log, request, self._host)
        except BaseException:
            self._wind_back(exchange)
            raise
        if isinstance(decided, Refused):
            self._wind_back(exchange)
            return decided
        # what hides a command's own event hides the command: its digest would tell whoever guesses it
        is_secret = request.is_secret or decided.events[0][0].veil is not msgspec.UNSET
        sender = self._sender(request, 1 if decided.goes_on else 0)
        if not self._append(decided, sender, is_secret, request.nonce):
            return False
        self._catch_up(exchange, decided)
        if decided.goes_on:
            self._second_part(self._sender(request, 2), is_secret)
        return True

    def amend(self, request: Request, amend: commands.Amend) -> Refused | bool:
        """Run again what an amend changes, with new dice where none are recorded, and append it as one group."""
        if request.caller != GM:
            return Refused("gm-only", (request.caller,))
        self.ready()
        if (refused := self._complete()) is not None:
            return refused
        log = self._record.log
        prepared = prepare(log, amend)
        if isinstance(prepared, Refused):
            return prepared
        before, head = self.ready().state, log.head
        assert self._host is not None
        self._host.begin(request)
        rerun = run_again(self._books.rules, log, prepared, self._host)
        if (refused := refuses_amend(rerun)) is not None:
            return refused
        group = amending(
            rerun,
            prepared,
            session=self._record.session,
            head=log.head,
            previous=self._record.chain.digest,
            sender=self._sender(request, 0),
            salt=self._entropy.salt,
        )
        if not self._appended(group):
            return False
        self._host = self._host_with(self._secret())  # a script goes on where the log ends, whatever was tried
        self.exchange = None
        self._resume()
        self.amended = amend_told(log, prepared, rerun, before, head)
        return True

    def plan(self, amend: commands.Amend) -> AmendPlan | Refused:
        """What an amend would do, up to the first die that does not exist. Draws nothing, appends nothing."""
        exchange = self.ready()
        if self._record.halves and not exchange.is_at_rest:
            return Refused("half-done")
        return plan_amend(self._books.rules, self._record.log, amend, exchange.state)

    def try_to_complete(self) -> None:
        """Run the second part of a command that was cut off before it, as far as that can be done now."""
        try:
            self._complete()
        except AffrayError as error:
            if isinstance(error, Problem):
                self.problem = error
            get_logger().warning("second part failed", **self._place(), problem=str(error))

    def _accepts_others(self, request: Request) -> bool:
        """Whether a command is to take other rules because those of the record cannot be had."""
        return self.exchange is None and not self.is_copy and isinstance(request.command, commands.SetRules)

    def _notice_other_rules(self, exchange: Exchange) -> None:
        """Warn once where the plugins publish something else than when they were pinned, under the same releases.

        That hinders nothing: the release is what their authors answer for. Missing ones are told by whoever needs them.
        """
        manifest, noticed = exchange.state.manifest, self._noticed
        self._noticed = manifest
        if manifest is noticed or manifest == noticed:
            return
        pinned = next((e for _, e in reversed(self._record.log.line()) if isinstance(e, Open | Rules)), None)
        with suppress(AffrayError):
            if pinned is not None and exchange.rules.fingerprint != pinned.fingerprint:
                get_logger().warning("rules publish something else under the same release", **self._place())

    # -- the exchange

    def _resume(self) -> None:
        log = self._record.log
        try:
            base, pairs = self._record.resumable()
            self.exchange = Exchange.resume(
                self._books.rules,
                pairs,
                head=log.head,
                openings=log.openings,
                secret_openings=log.secret_openings,
                base=base,
            )
            self.problem = None
        except Exception as error:  # a log that was tampered with may do anything; it can still be read
            self.exchange = None
            drifted = RulesDrifted(log.head, repr(error), "an action that goes on")
            self.problem = error if isinstance(error, Problem) else drifted
            get_logger().warning("resume failed", **self._place(), problem=str(error))

    def _folded(self) -> Exchange:
        """An exchange that runs no rules, for what needs none."""
        log = self._record.log
        return Exchange(
            self._books.rules, self._record.state(), head=log.head, openings=log.openings, tracked=set()
        )

    def _wind_back(self, exchange: Exchange) -> None:
        """Generators cannot be wound back: an exchange that went ahead of the log is thrown away and built again."""
        if exchange.head != self._record.log.head:
            self.exchange = None
            self._resume()

    def _catch_up(self, exchange: Exchange, decided: Accepted) -> None:
        """Bring the exchange to the log's head."""
        if exchange is self.exchange and decided.fed:
            return
        if exchange is not self.exchange or isinstance(decided.events[0][0], Rewind):
            self.exchange = None
            self._resume()
        else:
            try:
                for event, _ in decided.events:
                    exchange.feed(event, live=True)
            except BaseException:
                self.exchange = None
                self._resume()
                raise

    # -- the record

    def _secret(self) -> Secret | None:
        data = self._record.store.secret(self._record.session)
        return None if data is None else msgspec.json.decode(data, type=Secret)

    def _host_with(self, secret: Secret | None) -> HostDice | None:
        return None if secret is None else HostDice(self._record.log, secret, self._record.part)

    def _read_again(self) -> None:
        """Go by what is stored: somebody else was first, or it is in doubt what became of an append."""
        self.exchange = None
        try:
            secret = self._secret()
            self._record.read()
            self._host = self._host_with(secret)
        except StoreError as error:  # the next append finds out
            get_logger().warning("cannot be read", **self._place(), problem=str(error))
        if not self.is_copy:
            self._resume()

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
        record = self._record
        try:
            commit = write_commit(
                session=record.session,
                first=record.log.head + 1,
                previous=record.chain.digest,
                events=decided.events,
                sender=sender,
                salt=self._entropy.salt,
                secret=secret,
                nonce=nonce,
            )
        except BaseException:
            self._read_again()
            raise
        return self._appended([commit])

    def _appended(self, commits: Sequence[Commit]) -> bool:
        try:
            is_ours = self._record.append(*commits)
        except BaseException:
            self._read_again()
            raise
        if not is_ours:
            self._read_again()
            return False
        assert self._host is not None
        self._host.committed()
        return True

    # -- second parts

    def _second_part(self, sender: Sender, secret: bool) -> Refused | None:
        """What follows reported dice, or an action that was closed because its rules could not run."""
        exchange = self.exchange
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
        halves, log = self._record.halves, self._record.log
        if not halves or self.exchange is None or self.exchange.is_at_rest:
            return None
        present = {version for version, _ in log.line()}
        half: Commit | None = next((half for half in reversed(halves.values()) if half.first in present), None)
        if half is None or half.sender is None:
            return None
        sender = msgspec.structs.replace(half.sender, part=2, time=self._entropy.now())
        return self._second_part(sender, half.envelope.sender is None)

    def _place(self) -> dict[str, str | int]:
        """Where in which session, for the program's own log."""
        return {"session": self._record.session, "version": self._record.log.head}


def _closes(request: Request) -> bool:
    command = request.command
    return isinstance(command, commands.Overrule) and isinstance(command.effect, CloseAction)


__all__ = ["NO_RULES_NEEDED", "Deciding", "Problem", "Rulebooks"]
