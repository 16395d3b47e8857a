"""Audit: carry a log out again with the rules it names, and say where the record and the rules part (laws 1 and 6).

Goes through the lines once. Beside every check of `verify`, each event is compared with what the rules have next, given
the recorded dice and answers. After an action's first divergence it is only folded, so that one fault is told once.
Whatever a resolver raises on recorded data is a finding, never a crash. What cannot be checked is told with its reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from .audit_commands import closing, opening, unfinished
from .audit_commits import NO_RULES, Senders, misforked, misopened, misplaced, unopened, unspelt
from .audit_report import Audit, Divergence, Overruled, Reported, RulesChange, Tally, Unchecked
from .errors import AffrayError, Damaged, PluginUnavailable, Refused
from .events import Join, Note, Open, Reveal, RevealDice, Rewind, Rules, Sealed
from .exchange import RuleBook
from .lean import LeanLog
from .ledger import Chain, Commit
from .lineage import may_rewind
from .log import is_fork
from .points import Points, Reread
from .reenact import RAISED, Failed, Reenactment, bare, owner, same
from .values import GM
from .verify import Finding, Verifier

_PARTIAL = "kept parts are missing from this copy"
_ANOTHER = "the rules installed publish something else under the same release"


class Auditor:
    """Goes through a log commit by commit. `audit` is the whole of it for lines."""

    def __init__(self, book: RuleBook, header: bytes, reread: Reread | None = None, where: str = "") -> None:
        self.chain = Chain(header, where=where)
        self._book = book
        self._points = Points(header, reread, where)
        self._log = LeanLog()
        self._verifier = Verifier(self.chain.session, self._log, self._state_at)
        self._now = Reenactment(book, self._points, self._log)
        self._senders = Senders()
        self._tally = Tally()
        self._commits = 0
        self._is_partial = False
        self._is_unsent = False
        self._went_back = False

    # -- going through

    def take(self, line: bytes) -> None:
        """Audit the next line. Raises Damaged; nothing behind damage may be given."""
        commit = self.chain.accept(line)
        self._commits += 1
        self._verifier.begin(commit)
        for problem in self._senders.problems(commit):
            self._tally.unfounded(commit.first, commit.events[0], problem, "")
        before: Any = None
        for version, event in enumerate(commit.events, commit.first):
            self._see(event, commit)
            self._tally.take(event, version, commit, self._now.state)
            self._try(event, version, commit, before)
            self._verifier.event(event, version)
            before = event
        self._verifier.end(commit)
        self._at_rest(commit)
        self._now.end(commit, self._commits, went_back=self._went_back)
        self._went_back = False

    def _see(self, event: Any, commit: Commit) -> None:
        """Note what this copy lacks; a player's name that was erased is missed by nobody."""
        if event.kept is not UNSET and not (type(event) is Join and event.sheet is not None):
            self._is_partial = True
        self._is_unsent = self._is_unsent or commit.sender is None
        self._now.dice.is_open = self._is_partial or self._is_unsent or commit.envelope.group is not None

    def _try(self, event: Any, version: int, commit: Commit, before: Any) -> None:
        """Audit one event; what a host wrote may be anything."""
        try:
            if problem := misplaced(event, before):
                self._tally.unfounded(version, event, problem, "")
            self._event(event, version, commit, before)
        except Damaged:
            raise
        except RAISED as error:
            self._tally.unfounded(version, event, f"cannot be carried out: {error!r}", owner(event))
            self._now.skip(event, version)

    def _state_at(self, version: int) -> Any:
        """The state at the end of a commit, for `verify`; it has gone back there already. Raises KeyError."""
        if not self._points.is_end(version):
            raise KeyError(version)
        return self._now.state

    def _event(self, event: Any, version: int, commit: Commit, before: Any) -> None:
        kind = type(event)
        if kind is Rewind:
            self._rewind(event, version, commit)
        elif kind is Open:
            self._opened(event, version, commit)
        elif kind is Join and event.kept is not UNSET and event.sheet is not None:  # a player's name was erased
            self._compare(replace(event, player="", kept=UNSET), version, commit, before)
        elif kind is Sealed or event.kept is not UNSET:
            self._hidden(event, version)
        elif kind in NO_RULES:
            self._said(event, version, commit, before)
        elif owner(event) in self._now.given_up:
            self._feed(event, version)
        else:
            self._compare(event, version, commit, before)

    def _compare(self, event: Any, version: int, commit: Commit, before: Any) -> None:
        """Compare an event with what the rules have next; where they have nothing, with what its command opens with."""
        while True:
            expected = self._now.expected(event)
            if isinstance(expected, Failed):
                self._failed(expected, version)
            elif expected.event is not None and same(expected.event, event):
                if before is None and commit.sender is not None and commit.sender.part != 2:
                    self._tally.unfounded(version, event, "its commit opens with no command", "")
                self._tally.checked += 1
                break
            elif expected.event is None or self._cuts_in(event, before):
                self._command(event, version, commit, before)
                break
            else:
                self._diverged(version, expected.action, expected.event, event, is_clock=not expected.action)
            if not expected.action:
                break  # the clock's fault: there is nothing to give up
            self._now.give_up(expected.action)
            if owner(event) in self._now.given_up:
                break
        self._feed(event, version)

    def _cuts_in(self, event: Any, before: Any) -> bool:
        """Whether an event is the game master's word that ends something, or helps where the rules could not go on."""
        is_first = before is None and self._senders.may_cut_in(event)
        return is_first or same(closing(event, self._now.exchange, before), event)

    def _diverged(self, version: int, action: str, expected: Any, event: Any, *, is_clock: bool = False) -> None:
        if self._is_partial:
            self._tally.skip(version, "kept", action, _PARTIAL)
        else:
            self._tally.diverged(version, action, bare(expected), event, is_clock=is_clock)

    def _unfounded(self, version: int, event: Any, text: str) -> None:
        """Nothing makes this event, or nothing that may: what else was recorded of its action is only folded."""
        name = owner(event)
        if self._is_partial:
            self._tally.skip(version, "kept", name, _PARTIAL)
        else:
            self._tally.unfounded(version, event, text, name)
            self._now.give_up(name)

    def _failed(self, failed: Failed, version: int) -> None:
        if failed.code == "unavailable":
            self._tally.skip(version, "rules", failed.action, failed.text)
        elif self._is_partial:
            self._tally.skip(version, "kept", failed.action, _PARTIAL)
        else:
            self._tally.failed(version, failed)

    def _feed(self, event: Any, version: int) -> None:
        failed = self._now.feed(event, version)
        if failed is not None:
            self._failed(failed, version)

    # -- events of one kind

    def _command(self, event: Any, version: int, commit: Commit, before: Any) -> None:
        """Check an event with which a command opens, or with which the game master ends something."""
        exchange = self._now.exchange
        if self._now.is_unseen(event):
            return
        try:
            made = closing(event, exchange, before)
            if made is None and (before is not None or (commit.sender is not None and commit.sender.part == 2)):
                self._unfounded(version, event, "neither the rules nor the command of its commit make it")
                return
            found = (made,) if made is not None else opening(event, exchange, self._log, commit)
        except PluginUnavailable as error:
            self._tally.skip(version, "rules", owner(event), str(error))
            return
        except RAISED as error:
            self._unfounded(version, event, str(error) if isinstance(error, AffrayError) else repr(error))
            return
        if isinstance(found, Refused):
            self._unfounded(version, event, f"the rules refuse it: {found.bare}")
            return
        expected = found[0]
        if type(event) is Rules and type(expected) is Rules:
            self._check_rules(event, version)
            expected = replace(expected, fingerprint=event.fingerprint)
        if same(expected, event):
            self._tally.checked += 1
            return
        self._diverged(version, owner(event), expected, event)
        if not self._is_partial:
            self._now.give_up(owner(event))

    def _said(self, event: Any, version: int, commit: Commit, before: Any) -> None:
        """Check what no rule has a word in: a note, or what is opened. What it holds, the chain has checked."""
        if type(event) is Note:
            self._command(event, version, commit, None)
        elif type(event) is Reveal and event.version in self._log.reveals:
            self._unfounded(version, event, f"version {event.version} is open already")
        elif type(event) is RevealDice and before is not None and event.chain != "open":
            self._unfounded(version, event, "the end of a fight opens the open dice")
        self._feed(event, version)

    def _opened(self, event: Open, version: int, commit: Commit) -> None:
        if version != 1 and not is_fork(event):
            self._now.exchange.head = version  # `verify` says that it cannot be; nobody goes by it
            return
        if problem := misopened(event, version) or (version != 1 and misforked(event, commit, self._now.state, self._log.opened)):
            self._tally.unfounded(version, event, problem, "")
        self._feed(event, version)
        self._check_rules(event, version)

    def _check_rules(self, event: Open | Rules, version: int) -> None:
        """Whether the rules at hand are those that were pinned, to the letter."""
        try:
            rules = self._book(event.manifest)
        except PluginUnavailable as error:
            self._tally.skip(version, "rules", "", str(error))
        except RAISED as error:
            self._tally.unfounded(version, event, str(error) if isinstance(error, AffrayError) else repr(error), "")
        else:
            if rules.fingerprint != event.fingerprint:
                self._tally.skip(version, "another", "", _ANOTHER)
            elif problem := unspelt(event.manifest.options, rules):
                self._tally.unfounded(version, event, problem, "")

    def _hidden(self, event: Any, version: int) -> None:
        """An event of which something is kept from this copy: its action cannot be carried out here."""
        if name := owner(event):
            self._tally.skip(version, "kept", name, _PARTIAL)
            self._now.give_up(name)
        self._feed(event, version)

    def _rewind(self, event: Rewind, version: int, commit: Commit) -> None:
        self._went_back = True
        if problem := may_rewind(self._log, self._now.state, event, GM if commit.sender is None else commit.sender.caller):
            self._unfounded(version, event, problem)
        try:
            self._now.go_back(event.to, version, self._log.openings, self._log.secret_openings)
        except KeyError:
            self._feed(event, version)

    def _at_rest(self, commit: Commit) -> None:
        """A command goes on until people must act: nothing may be left over at its end.

        One whose rules run in a second commit may have to wait for it, and only what needs no rules comes in between.
        """
        opened, epoch = self._log.opened, self._log.epochs["open"]
        for problem in (unfinished(commit.events), unopened(commit, epoch, 0 if opened is None else opened.epochs)):
            if problem:
                self._tally.unfounded(commit.last, commit.events[-1], problem, "")
        if self._senders.take(commit):
            return
        expected = self._now.expected()
        if isinstance(expected, Failed):
            self._failed(expected, commit.last)
            if expected.action:
                self._now.give_up(expected.action)
        elif expected.event is not None:
            self._diverged(commit.last, expected.action, expected.event, None, is_clock=not expected.action)
            if expected.action:
                self._now.give_up(expected.action)

    # -- the end

    @property
    def events_read_again(self) -> int:
        """How many events were read a second time, to go back to where rewinds lead."""
        return self._points.events_read_again

    def report(self, damage: Damaged | None = None) -> Audit:
        """What was found. `damage` is what ended the log early."""
        if damage is not None:
            self._verifier.find(damage.version, "damaged", str(damage))
        return self._tally.report(self._verifier.verdict(self.chain, self._commits))


def audit(lines: Iterable[bytes], book: RuleBook, *, reread: Reread | None = None, where: str = "") -> Audit:
    """Audit a log's lines, header first. Damage is a finding, and nothing behind it is looked at.

    `reread` gives the lines behind so many commits again; with it, little is remembered of a long log.
    """
    stream = iter(lines)
    try:
        auditor = Auditor(book, next(stream, b""), reread, where)
    except Damaged as damage:
        return Audit.unreadable(Finding(version=damage.version, code="damaged", text=str(damage)))
    try:
        for line in stream:
            auditor.take(line)
    except Damaged as damage:
        return auditor.report(damage)
    return auditor.report()


__all__ = ["Audit", "Auditor", "Divergence", "Overruled", "Reported", "RulesChange", "Unchecked", "audit"]
