"""Audit: carry a log out again with the rules it names, and say where the record and the rules part (laws 1 and 6).

Goes through the lines once. Beside every check of `verify`, each event is compared with what the rules have next, given
the recorded dice and answers. After an action's first divergence it is only folded, so that one fault is told once.
Whatever a resolver raises on recorded data is a finding, never a crash. What cannot be checked is told with its reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET

from .audit_commands import closing, opening, unfinished
from .audit_report import Audit, Divergence, Overruled, Reported, RulesChange, Tally, Unchecked
from .errors import AffrayError, Damaged, PluginUnavailable, Refused
from .events import CloseAction, Join, Note, Open, Overrule, Reveal, RevealDice, Rewind, Sealed
from .exchange import RuleBook
from .lean import LeanLog
from .ledger import Chain, Commit, is_whole
from .lineage import may_rewind
from .names import root
from .points import Points, Reread
from .reenact import Failed, Reenactment, bare, said, same
from .steps import Roll
from .values import GM
from .verify import Finding, Verifier

_PARTIAL = "kept parts are missing from this copy"

_UNCHECKED = frozenset({Note, Reveal, RevealDice})
"""Kinds that no rule has a word in: what they hold is checked against the chain."""


class Auditor:
    """Goes through a log commit by commit. `audit` is the whole of it for lines."""

    def __init__(self, book: RuleBook, header: bytes, reread: Reread | None = None, where: str = "") -> None:
        self.chain = Chain(header, where=where)
        self._book = book
        self._points = Points(header, reread, where)
        self._log = LeanLog()
        self._verifier = Verifier(self.chain.session, self._log, self._state_at)
        self._now = Reenactment(book, self._points)
        self._tally = Tally()
        self._commits = 0
        self._is_partial = False
        self._went_back = False
        self._is_half = False

    # -- going through

    def take(self, line: bytes) -> None:
        """Audit the next line. Raises Damaged; nothing behind damage may be given."""
        commit = self.chain.accept(line)
        self._commits += 1
        self._verifier.begin(commit)
        before: Any = None
        for version, event in enumerate(commit.events, commit.first):
            self._is_partial = self._is_partial or event.kept is not UNSET
            self._tally.take(event, version, commit, self._now.state)
            self._event(event, version, commit, before)
            self._verifier.event(event, version)
            before = event
        self._verifier.end(commit)
        self._at_rest(commit)
        if is_whole(commit.envelope.group):
            self._now.end(commit.last, self._commits, commit.digest, went_back=self._went_back)
            self._went_back = False

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
            self._opened(event, version)
        elif kind is Sealed or event.kept is not UNSET:
            self._hidden(event, version)
        elif kind in _UNCHECKED or root(getattr(event, "action", "")) in self._now.given_up:
            self._feed(event, version)
        else:
            self._compare(event, version, commit, before)

    def _compare(self, event: Any, version: int, commit: Commit, before: Any) -> None:
        """Compare an event with what the rules have next; where they have nothing, with what its command opens with."""
        while True:
            expected = self._now.expected(event)
            if isinstance(expected, Failed):
                self._failed(expected, version)
            elif expected.event is None or same(closing(event, self._now.exchange, before), event):
                self._command(event, version, commit, before)
                break
            elif same(expected.event, event):
                self._tally.checked += 1
                break
            else:
                self._diverged(version, expected.action, expected.event, event)
            if not expected.action:
                break  # the clock's fault: there is nothing to give up
            self._now.give_up(expected.action)
            if root(getattr(event, "action", "")) in self._now.given_up:
                break
        self._feed(event, version)

    def _diverged(self, version: int, action: str, expected: Any, event: Any) -> None:
        if self._is_partial:
            self._tally.skip(version, action, _PARTIAL)
        else:
            self._tally.diverged(version, action, bare(expected), event)

    def _failed(self, failed: Failed, version: int) -> None:
        if failed.code == "unavailable":
            self._tally.skip(version, failed.action, failed.text)
        elif self._is_partial:
            self._tally.skip(version, failed.action, _PARTIAL)
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
        try:
            made = closing(event, exchange, before)
            found = (made,) if made is not None else opening(event, exchange, self._log, commit.sender, commit.envelope.nonce)
        except PluginUnavailable as error:
            self._tally.skip(version, root(getattr(event, "action", "")), str(error))
            return
        except AffrayError as error:
            if self._is_partial:
                self._tally.skip(version, root(getattr(event, "action", "")), _PARTIAL)
            else:
                self._tally.unfounded(version, event, str(error))
            return
        if isinstance(found, Refused):
            self._tally.unfounded(version, event, f"the rules refuse it: {said(found)}")
        elif not same(found[0], event):
            self._diverged(version, root(getattr(event, "action", "")), found[0], event)
        else:
            self._tally.checked += 1

    def _opened(self, event: Open, version: int) -> None:
        self._feed(event, version)
        self._check_manifest(event.manifest, event.fingerprint, version)

    def _check_manifest(self, manifest: Any, fingerprint: str, version: int) -> None:
        """Whether the rules at hand are those that were pinned, to the letter."""
        try:
            rules = self._book(manifest)
        except PluginUnavailable as error:
            self._tally.skip(version, "", str(error))
        except AffrayError as error:
            self._tally.unfounded(version, manifest, str(error))
        else:
            if rules.fingerprint != fingerprint:
                self._tally.skip(version, "", "the rules installed publish something else under the same release")

    def _hidden(self, event: Any, version: int) -> None:
        """An event of which something is kept from this copy: its action cannot be carried out here."""
        name = root(getattr(event, "action", ""))
        if type(event) is Join and event.sheet is not None:
            name = ""  # no more than a player's name
        elif name:
            self._tally.skip(version, name, _PARTIAL)
            self._now.give_up(name)
        self._feed(event, version)

    def _rewind(self, event: Rewind, version: int, commit: Commit) -> None:
        self._went_back = True
        problem = may_rewind(self._log, self._now.state, event, GM if commit.sender is None else commit.sender.caller)
        if problem and self._is_partial:
            self._tally.skip(version, "", _PARTIAL)
        elif problem:
            self._tally.unfounded(version, event, problem)
        try:
            self._now.go_back(event.to, version, self._log.openings, self._log.secret_openings)
        except KeyError:
            self._feed(event, version)

    def _at_rest(self, commit: Commit) -> None:
        """A command goes on until people must act: nothing may be left over at its end.

        One whose rules run in a second commit may have to wait for it, and only what needs no rules comes in between.
        """
        sender = commit.sender
        if problem := unfinished(commit.events):
            self._tally.unfounded(commit.last, commit.events[-1], problem)
        is_half = sender is not None and sender.part == 1
        needs_rules = any(type(event) not in _UNCHECKED for event in commit.events)
        self._is_half = is_half or (sender is None and _may_be_half(commit)) or (self._is_half and not needs_rules)
        if self._is_half:
            return
        expected = self._now.expected()
        if isinstance(expected, Failed):
            self._failed(expected, commit.last)
            if expected.action:
                self._now.give_up(expected.action)
        elif expected.event is not None:
            self._diverged(commit.last, expected.action, expected.event, None)
            if expected.action:
                self._now.give_up(expected.action)

    # -- the end

    def report(self, damage: Damaged | None = None) -> Audit:
        """What was found. `damage` is what ended the log early."""
        if damage is not None:
            self._verifier.find(damage.version, "damaged", str(damage))
        return self._tally.report(self._verifier.verdict(self.chain, self._commits))


def _may_be_half(commit: Commit) -> bool:
    """Whether a commit whose sender is kept may be the first of two: reported dice, or an action that was closed."""
    first = commit.events[0]
    if type(first) is Roll:
        return len(commit.events) == 1
    return type(first) is Overrule and (first.effect is None or isinstance(first.effect, CloseAction))


def audit(lines: Iterable[bytes], book: RuleBook, *, reread: Reread | None = None, where: str = "") -> Audit:
    """Audit a log's lines, header first. Damage is a finding, and nothing behind it is looked at.

    `reread` gives the lines behind so many commits again; with it, memory stays flat however long the log is.
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
