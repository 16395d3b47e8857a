"""The only place that draws: system entropy, the clock, and the host's dice.

`Entropy` is what tests replace to get the same bytes twice. `HostDice` answers the kernel's question for faces by each
controller's dice policy; the arithmetic of faces is the kernel's (`affray.kernel.draws`).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

import msgspec

from affray.kernel import (
    GM,
    WITNESS,
    Declare,
    DiceError,
    Drawn,
    Faces,
    Log,
    Now,
    Refused,
    RefusedInside,
    Request,
    RevealDice,
    Rewind,
    Roll,
    Script,
    State,
    Unwitnessed,
    chain_secret,
    commands,
    face_source,
    kept_faces,
    next_nonce_digest,
    place,
    root,
    slot_within,
    throw,
    witness_for,
)

POLICIES = ("fair", "reported", "scripted", "scripted-then-fair")
"""Dice policies of a controller."""

UNDO_DICE = ("redraw", "keep", "forbid")
"""What happens to dice past which an undo goes: new ones (listed by an audit), the same ones, or no such undo."""


class Entropy(Protocol):
    """What a session needs of the world beside a store."""

    def salt(self) -> str:
        """128 random bits in hex."""
        ...

    def seed(self) -> bytes:
        """256 random bits, the last element of a dice chain."""
        ...

    def name(self) -> str:
        """A new short id."""
        ...

    def now(self) -> str:
        """The time in UTC, as recorded."""
        ...


class SystemEntropy:
    """The operating system's entropy and clock."""

    def salt(self) -> str:
        """128 random bits in hex."""
        return secrets.token_hex(16)

    def seed(self) -> bytes:
        """256 random bits."""
        return secrets.token_bytes(32)

    def name(self) -> str:
        """Eight hex digits."""
        return secrets.token_hex(4)

    def now(self) -> str:
        """ISO 8601 with milliseconds and Z."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


class Secret(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What stands in a session's private file: the last elements of its dice chains (hex) and the faces of a script."""

    open: str
    kept: str
    script: tuple[int, ...] = ()


class HostDice:
    """Faces for one session, by its log, its secret and each controller's policy."""

    def __init__(self, log: Log, secret: Secret, part: Callable[[int], str]) -> None:
        self._log = log
        self._seeds = {"open": bytes.fromhex(secret.open), "kept": bytes.fromhex(secret.kept)}
        self._secrets: dict[tuple[str, int], bytes] = {}
        self._part = part
        self._nonce = ""
        self._now = Now()
        policies = log.opened.dice.values() if log.opened is not None else ()
        is_scripted = any(policy.startswith("scripted") for policy in policies)
        self._script = Script(secret.script, log.scripted_faces()) if is_scripted else None
        self._used = self._script.used if self._script else 0
        self._kept_index: dict[tuple[str, int, str], int] = {}
        self._indexed = 0

    def begin(self, request: Request | None) -> None:
        """A command is about to be decided; None for the second part of one, whose nonce stands in the log already."""
        self._nonce, self._now = "", Now()
        if request is not None:
            command = request.command
            chose = ""
            if isinstance(command, commands.Declare):
                chose = command.actor
            elif isinstance(command, commands.Answer) and f"|ask.{WITNESS}" not in command.slot:
                chose = command.who
            if request.caller != GM:
                self._nonce = request.nonce
            self._now = Now(chose=chose, nonce_from=request.caller if self._nonce else "")
        if self._script is not None:
            self._script.used = self._used

    def committed(self) -> None:
        """What was drawn since `begin` stands in the log now."""
        if self._script is not None:
            self._used = self._script.used

    def part(self, version: int) -> str:
        """The text of the kept part at a version."""
        return self._part(version)

    def draw(self, roll: Roll, run: int, state: State) -> Drawn | Unwitnessed | None:
        """Faces by the roller's policy; None when a person must report them."""
        someone = state.combatants.get(roll.by)
        policy = state.policy(roll.by)
        if policy == "reported" and someone is not None and not someone.gone:
            return None
        if state.undo_dice == "keep" and (kept := self._keep(roll, run, state)) is not None:
            return kept
        if policy.startswith("scripted") and self._script is not None:
            try:
                return Drawn(self._script.throw(roll), "scripted")
            except IndexError:
                if policy == "scripted":
                    raise RefusedInside(Refused("script-exhausted", (place(roll),))) from None
        opened = self._log.opened
        if opened is not None and opened.witness and (by := witness_for(self._log, state, roll.action, self._now)):
            return Unwitnessed(by)
        return Drawn(throw(roll.plan, self._fresh(roll, run, state)), "engine")

    def _fresh(self, roll: Roll, run: int, state: State) -> Callable[[int, int, int], int]:
        action = state.open.get(root(roll.action))
        chain = "kept" if roll.blind or (action is not None and action.secret) else "open"
        epoch = self._log.epochs[chain]
        nonces = self._log.nonce_digest
        if self._nonce:
            nonces = next_nonce_digest(nonces, self._nonce)
        elif epoch > 1 and self._log.nonces and not self._log.nonces_since[chain]:
            # the secret's holder chose when the epoch ended, so it must not choose what comes next
            raise RefusedInside(Refused("dice-wait-for-nonce", (epoch,)))
        people = state.combatants.values() if ">" in roll.action or not roll.by else (state.combatants[roll.by],)
        numbers = {one.id: one.number for one in people}
        return face_source(self._secret(chain, epoch), state.session, epoch, nonces, run, slot_within(roll, numbers))

    def _secret(self, chain: str, epoch: int) -> bytes:
        opened = self._log.opened
        length = opened.epochs if opened is not None else 0
        if epoch > length:
            raise RefusedInside(Refused("dice-epochs-used-up", (length,)))
        key = (chain, epoch)
        if key not in self._secrets:
            self._secrets[key] = chain_secret(self._seeds[chain], length, epoch)
        return self._secrets[key]

    def reveal(self, chain: str) -> RevealDice | Refused:
        """The event that ends the present epoch of a chain."""
        if chain not in self._seeds:
            return Refused("no-such-chain", (chain,))
        epoch = self._log.epochs[chain]
        try:
            return RevealDice(chain=chain, epoch=epoch, secret=self._secret(chain, epoch).hex())
        except RefusedInside as inside:
            return inside.refused

    def at_close(self) -> RevealDice | None:
        """The open chain's epoch, opened with the end of the fight."""
        revealed = self.reveal("open")
        return revealed if isinstance(revealed, RevealDice) else None

    # -- undo_dice "keep": a slot drawn before takes its recorded faces

    def _keep(self, roll: Roll, run: int, state: State) -> Drawn | None:
        self._index()
        version = self._kept_index.get(_keep_key(roll, state), 0)
        if not version:
            return None
        earlier: Roll = self._log.events[version - 1]
        try:
            faces: Faces = kept_faces(roll.plan, earlier.faces or (), self._fresh(roll, run, state))
        except DiceError:
            return None
        return Drawn(faces, "engine", version)

    def _index(self) -> None:
        """Take in the rolls of the log since the last time, under the n-th action of their actor."""
        if self._indexed == self._log.head:
            return
        counts: dict[str, int] = {}
        at_version: dict[int, dict[str, int]] = {0: {}}
        actions: dict[str, tuple[str, int]] = {}
        self._kept_index.clear()
        for version, event in enumerate(self._log.events, 1):
            if type(event) is Rewind:
                counts = dict(at_version[event.to])
            elif type(event) is Declare and not event.parent:
                counts = {**counts, event.actor: counts.get(event.actor, 0) + 1}
                actions[event.action] = (event.actor, counts[event.actor])
            elif type(event) is Roll and event.source == "engine" and not event.reused:
                name = root(event.action)
                actor, nth = actions.get(name, (name, 0))
                self._kept_index.setdefault((actor, nth, _within(event)), version)
            at_version[version] = counts
        self._indexed = self._log.head


def _within(roll: Roll) -> str:
    return f"{roll.action.partition('>')[2]}|{place(roll)}"


def _keep_key(roll: Roll, state: State) -> tuple[str, int, str]:
    """An action is its actor's n-th, a moment is itself."""
    name = root(roll.action)
    action = state.open.get(name)
    if action is None or name == action.what or name.startswith(f"{action.what}:"):
        return name, 0, _within(roll)
    return action.actor, state.declared.get(action.actor, 0), _within(roll)
