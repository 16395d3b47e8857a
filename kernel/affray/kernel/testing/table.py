"""A fight under the kernel alone: commands in, commits out, with no store, clock or session around it.

A `Book` holds the plugins by their factories and builds the rules of a manifest, as a catalog does. A `Table` decides
commands, writes them into a log and folds it; it is the host of its dice. Everything is the same in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from .. import commands as c
from ..amend import commits as amending
from ..amend import prepare, refusal
from ..amend import run as run_again
from ..canonical import canonical
from ..decide import Accepted, decide, go_on
from ..describe import System
from ..dice import Faces, throw
from ..draws import Drawn, Unwitnessed, chain_secret, face_source, slot_within
from ..errors import Breach, InputError, Refused
from ..events import Open, RevealDice, Rewind
from ..exchange import Exchange
from ..fold import fold_all
from ..ledger import Chain, Commit, Sender, header_line, part_of, through_bytes, write_commit
from ..lineage import Amended
from ..log import Log
from ..names import root
from ..rules import Rules, bundled, spell_out
from ..state import State
from ..steps import Roll
from ..values import GM, Json, Manifest, Pin
from .dice import DiceSource, Fair, SeededDice

Factory = Callable[[], object]
"""Makes a plugin object, as an entry point does."""

Build = Callable[[Manifest, object, list[object]], Rules]
"""Builds the rules of a manifest of a system and its house rules."""

EPOCHS = 16
"""Length of a table's dice chains."""

TIME = "2024-02-29T12:00:00.000Z"
"""What a table's clock shows."""


class Book:
    """The plugins of a fight by their factories, and the rules of every manifest of them.

    `system` and `house` are factories; `build` makes the rules. Raises Breach for a factory that gives no plugin.
    """

    def __init__(self, system: Factory, house: Mapping[str, Factory] | None = None, build: Build = Rules) -> None:
        self._system = system
        self._house = dict(house or {})
        self._build = build
        self._rules: dict[bytes, Rules] = {}
        plugin = made("system", system)
        try:
            described = plugin.describe()
        except (Exception, SystemExit) as error:
            raise Breach("system", "describe", f"raised {error!r}") from error
        if not isinstance(described, System):
            raise Breach("system", "describe", f"returned {described!r}, not a System")
        self.described = described
        self.system = described.id

    def __call__(self, manifest: Manifest) -> Rules:
        """The rules of a manifest, built once. Raises Breach."""
        key = canonical(manifest)
        if key not in self._rules:
            house = [made(pin.id, self._house[pin.id]) for pin in manifest.house]
            self._rules[key] = self._build(manifest, made(self.system, self._system), house)
        return self._rules[key]

    def fresh(self) -> None:
        """Forget all plugin objects: whoever asks next is given new ones."""
        self._rules.clear()

    def manifest(
        self, options: Mapping[str, Json] | None = None, bundle: str = "", house: Iterable[str] | None = None
    ) -> Manifest:
        """A manifest of these plugins; `house` None is all house rules in the order given. Raises InputError."""
        names = list(self._house) if house is None else list(house)
        pins = [Pin(id=name, distribution="", release=_release(made(name, self._house[name]))) for name in names]
        system = Pin(id=self.system, distribution="", release=self.described.release)
        spelt = spell_out(self.described, {**bundled(self.described, bundle), **(options or {})})
        return Manifest(system=system, options=spelt, house=tuple(pins))


def made(name: str, factory: Factory) -> Any:
    """A plugin object. Raises Breach for a factory that raises, or gives None."""
    try:
        plugin = factory()
    except (Exception, SystemExit) as error:
        raise Breach(name, "factory", f"raised {error!r}") from error
    if plugin is None:
        raise Breach(name, "factory", "returned None")
    return plugin


def _release(rule: object) -> str:
    return str(getattr(rule, "release", "1"))


class Table:
    """A fight. `log`, `lines` (of the ledger, without the header) and `exchange` are what they are in a session.

    `reported` are controllers whose dice are reported. Raises Breach, InputError for options that are not the system's.
    """

    def __init__(
        self,
        book: Book,
        manifest: Manifest | None = None,
        *,
        dice: DiceSource | None = None,
        reported: Iterable[str] = (),
        title: str = "",
        undo_dice: str = "redraw",
        session: str = "kit",
    ) -> None:
        self.book = book
        self.dice: DiceSource = dice or SeededDice()
        self.log = Log()
        self._amended = Amended()
        self.lines: list[bytes] = []
        self.header = header_line(session)
        self._chain = Chain(self.header)
        self._session = session
        self._seeds = self.dice if isinstance(self.dice, SeededDice) else SeededDice()
        self._salts = 0
        manifest = manifest or book.manifest()
        event = Open(
            session=session,
            title=title,
            manifest=manifest,
            fingerprint=book(manifest).fingerprint,
            dice={"*": self.dice.policy, **dict.fromkeys(reported, "reported")},
            undo_dice=undo_dice,
            witness=False,
            chain=self._secret("open", 0).hex(),
            kept_chain=self._secret("kept", 0).hex(),
            epochs=EPOCHS,
            origin=None,
        )
        self._write([through_bytes(event)], Sender(caller=GM, on_behalf="", seen=-1, command="open", digest="", part=0, time=TIME))
        self.exchange = self.resumed()

    # -- what stands

    @property
    def head(self) -> int:
        """The newest version."""
        return self.log.head

    @property
    def state(self) -> State:
        """The fight now."""
        return self.exchange.state

    @property
    def rules(self) -> Rules:
        """The rules in force."""
        return self.exchange.rules

    def events(self, since: int = 0) -> list[Any]:
        """Every event behind a version, undone ones too."""
        return self.log.events[since:]

    def resumed(self) -> Exchange:
        """An exchange at the log's head, made from the log alone. Raises RulesDrifted, Breach."""
        log = self.log
        return Exchange.resume(self.book, log.line(), head=log.head, openings=log.openings, secret_openings=log.secret_openings)

    def restart(self) -> None:
        """Go on as another process would: with new plugin objects and what the log says."""
        self.book.fresh()
        self.exchange = self.resumed()

    def reread(self) -> State:
        """The state that the ledger's bytes fold to. Raises Damaged."""
        chain, log = Chain(self.header), Log()
        for line in self.lines:
            log.add(chain.accept(line))
        return fold_all(log.line())

    # -- commands

    def do(self, command: c.Command, *, by: str = GM, id: str = "") -> Refused | None:
        """Decide a command and write what it makes into the log. None: it was accepted.

        Raises InputError for what cannot be read, Breach when a plugin fails; nothing was appended then.
        """
        request = c.Request(id=id or f"c{len(self.lines)}", command=command, caller=by)
        c.check_request(request)
        if isinstance(command, c.Amend):
            return self._amend(request, command)
        self.dice.begin()
        exchange = self.exchange
        try:
            decided = decide(exchange, self.log, request, self)
        except BaseException:
            self._wind_back()
            raise
        if isinstance(decided, Refused):
            self._wind_back()
            return decided
        is_secret = request.is_secret or decided.events[0][0].veil is not msgspec.UNSET
        try:
            self._write(decided.events, self._sender(request, 1 if decided.goes_on else 0), secret=is_secret)
            self._catch_up(decided)
        except BaseException:
            self._wind_back()
            raise
        if decided.goes_on:
            return self._second_part(request, is_secret)
        return None

    def _amend(self, request: c.Request, amend: c.Amend) -> Refused | None:
        if request.caller != GM:
            return Refused("gm-only", (request.caller,))
        prepared = prepare(self.log, amend)
        if isinstance(prepared, Refused):
            return prepared
        self.dice.begin()
        rerun = run_again(self.book, self.log, prepared, self)
        if (refused := refusal(rerun)) is not None:
            return refused
        sender = self._sender(request, 0)
        before = (self._chain.version, self._chain.digest)
        found = amending(
            rerun, prepared, session=self._session, head=before[0], previous=before[1], sender=sender, salt=self._salt
        )
        for commit in found:
            self._take(commit)
        self.dice.committed()
        self.exchange = self.resumed()
        return None

    def _second_part(self, request: c.Request, is_secret: bool) -> Refused | None:
        """What follows reported dice, an action that was closed, or other rules."""
        self.dice.begin()
        try:
            more = go_on(self.exchange, self)
        except BaseException:
            self._wind_back()
            raise
        if isinstance(more, Refused):
            self._wind_back()
            return more
        if more.events:
            self._write(more.events, self._sender(request, 2), secret=is_secret)
        return None

    def _catch_up(self, decided: Accepted) -> None:
        if decided.fed:
            return
        if isinstance(decided.events[0][0], Rewind):
            self.exchange = self.resumed()
            return
        for event, _ in decided.events:
            self.exchange.feed(event, live=True)

    def _wind_back(self) -> None:
        """Generators cannot be wound back: an exchange that went ahead of the log is made again."""
        if self.exchange.head != self.log.head:
            self.exchange = self.resumed()

    # -- the log

    def _sender(self, request: c.Request, part: int) -> Sender:
        return Sender(
            caller=request.caller, on_behalf="", seen=-1, command=request.id, digest=request.digest(), part=part, time=TIME
        )

    def _write(self, events: Iterable[tuple[Any, bytes | None]], sender: Sender, *, secret: bool = False) -> None:
        commit = write_commit(
            session=self._session,
            first=self.log.head + 1,
            previous=self._chain.digest,
            events=tuple(events),
            sender=sender,
            salt=self._salt,
            secret=secret,
        )
        self._take(commit)
        self.dice.committed()

    def _take(self, commit: Commit) -> None:
        self._chain.advance(commit)
        self.log.add(commit)
        self.lines.append(commit.line)

    def _salt(self) -> str:
        self._salts += 1
        return f"{self._salts:032x}"

    # -- the host of the dice (`decide.Host`, `rerun.Fresh`)

    def draw(self, roll: Roll, run: int, state: State) -> Drawn | Unwitnessed | None:
        """Faces for a roll; None when a person must report them."""
        return self.again(roll, run, state, self._amended.recorded(self.log, roll))

    def again(self, roll: Roll, run: int, state: State, recorded: tuple[int, Faces]) -> Drawn | Unwitnessed | None:
        """Faces of which some may be recorded already."""
        someone = state.combatants.get(roll.by)
        if state.policy(roll.by) == "reported" and someone is not None and not someone.gone:
            return None
        fair = self.fair(roll, run, state)
        source = "scripted" if state.policy(roll.by) == "scripted" else "engine"
        if source == "engine":
            return Drawn(self._seeds.faces(roll, recorded[1], fair), source, recorded[0])
        return Drawn(self.dice.faces(roll, recorded[1], fair), source, recorded[0])

    def fair(self, roll: Roll, run: int, state: State) -> Fair:
        """The faces of a roll by the table's own dice secret."""
        action = state.open.get(root(roll.action))
        chain = "kept" if roll.blind or (action is not None and action.secret) else "open"
        numbers = {one.id: one.number for one in state.combatants.values()}
        epoch = self.log.epochs[chain]
        return face_source(self._secret(chain, epoch), self._session, epoch, "", run, slot_within(roll, numbers))

    def thrown(self, slot: str) -> Faces:
        """Faces for the dice that somebody is asked to report. Raises InputError where nobody is."""
        prompt = self.state.prompts.get(slot)
        roll = None if prompt is None else self.exchange.awaited(prompt.ask.action)
        if roll is None:
            raise InputError("no dice are asked for", value=slot)
        return throw(roll.plan, self.fair(roll, self.exchange.number(roll.action), self.state))

    def reveal(self, chain: str) -> RevealDice | Refused:
        """The event that opens the present epoch of a chain."""
        if chain not in self.log.epochs:
            return Refused("no-such-chain", (chain,))
        epoch = self.log.epochs[chain]
        if epoch > EPOCHS:
            return Refused("dice-epochs-used-up", (EPOCHS,))
        return RevealDice(chain=chain, epoch=epoch, secret=self._secret(chain, epoch).hex())

    def at_close(self) -> RevealDice | None:
        """The open chain's epoch, opened with the end of the fight."""
        revealed = self.reveal("open")
        return revealed if isinstance(revealed, RevealDice) else None

    def part(self, version: int) -> str:
        """The text of the kept part at a version. Raises InputError where there is none."""
        for line, commit in zip(self.lines, self.log.commits, strict=True):
            if commit[0] <= version <= commit[1]:
                return part_of(line, version)
        raise InputError("no such version", value=version)

    def _secret(self, chain: str, epoch: int) -> bytes:
        return chain_secret(self._seeds.secret(chain), EPOCHS, epoch)


__all__ = ["EPOCHS", "Book", "Factory", "Table", "made"]
