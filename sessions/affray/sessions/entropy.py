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
    NOTHING,
    Amended,
    Drawn,
    Faces,
    Keeping,
    Log,
    Refused,
    RefusedInside,
    Request,
    RevealDice,
    Roll,
    Script,
    State,
    Unwitnessed,
    brought,
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


def fresh_nonce() -> str:
    """What a player's client sends along with a new command: 128 random bits in hex, known to nobody before."""
    return secrets.token_hex(16)


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
        self._now = NOTHING
        policies = log.opened.dice.values() if log.opened is not None else ()
        is_scripted = any(policy.startswith("scripted") for policy in policies)
        self._script = Script(secret.script, _handed_out(log)) if is_scripted else None
        self._used = self._script.used if self._script else 0
        self._keeping = Keeping()
        self._amended = Amended()

    def begin(self, request: Request | None) -> None:
        """A command is about to be decided, its nonce one that counts; None for the second part of one, which stands in the log."""
        self._now = NOTHING if request is None else brought(request)
        if request is not None and isinstance(request.command, commands.Amend):
            self._now = msgspec.structs.replace(self._now, is_choice=True)  # what is run again is chosen anew
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
        amended = self._amended.recorded(self._log, roll)
        return self.again(roll, run, state, amended if amended[0] else self._kept(roll, state))

    def again(
        self, roll: Roll, run: int, state: State, recorded: tuple[int, Faces]
    ) -> Drawn | Unwitnessed | None:
        """Faces of which some may be recorded already: the version of that roll (0: none is) and its faces."""
        someone = state.combatants.get(roll.by)
        policy = state.policy(roll.by)
        if policy == "reported" and someone is not None and not someone.gone:
            return None
        earlier, faces = recorded
        was_scripted = not earlier or self._log.events[earlier - 1].source == "scripted"
        if self._script is not None and (policy == "scripted" or (policy == "scripted-then-fair" and was_scripted)):
            try:
                return Drawn(self._script.throw(roll, faces), "scripted", earlier)
            except IndexError:
                if policy == "scripted":
                    raise RefusedInside(Refused("script-exhausted", (place(roll),))) from None
        opened = self._log.opened
        if opened is not None and opened.witness and (by := witness_for(self._log, state, self._now)):
            return Unwitnessed(by)
        fresh = self._fresh(roll, run, state)
        if not earlier:
            return Drawn(throw(roll.plan, fresh), "engine")
        return Drawn(kept_faces(roll.plan, faces, fresh), "engine", earlier)

    def _kept(self, roll: Roll, state: State) -> tuple[int, Faces]:
        """The roll whose faces are kept for this one where the session keeps undone dice, and those; (0, ()) for none."""
        if state.undo_dice != "keep":
            return 0, ()
        self._keeping.catch_up(self._log.events)
        version = self._keeping.earlier(roll, state.open[root(roll.action)])
        return version, (self._log.events[version - 1].faces or ()) if version else ()

    def _fresh(self, roll: Roll, run: int, state: State) -> Callable[[int, int, int], int]:
        action = state.open.get(root(roll.action))
        chain = "kept" if roll.blind or (action is not None and action.secret) else "open"
        log, nonce = self._log, self._now.nonce
        epoch = log.epochs[chain]
        if log.waits_for_nonce(chain, nonce, self._now.seen):
            # the secret's holder chose when the epoch ended, so it must not choose, or know, what comes next
            raise RefusedInside(Refused("dice-wait-for-nonce", (epoch,)))
        nonces = next_nonce_digest(log.nonce_digest, nonce) if nonce else log.nonce_digest
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


def _handed_out(log: Log) -> int:
    """How many faces a script has handed out in the whole log: those that were kept did not come from it again."""
    count = log.scripted_faces()
    for roll in log.events:
        if isinstance(roll, Roll) and roll.source == "scripted" and roll.reused:
            count += _added(roll, log.events[roll.reused - 1].faces or ())
    return count


def _added(roll: Roll, recorded: Faces) -> int:
    """How many faces of a roll are not among those recorded."""
    shown, added = roll.faces or (), 0

    def face(die: int, link: int, sides: int) -> int:
        nonlocal added
        added += 1
        return shown[die][link]

    kept_faces(roll.plan, recorded, face)
    return added
