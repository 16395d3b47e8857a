"""What a log proves about its dice, and what it gives away: nonces, epochs, witnesses, sources, kept faces, faces.

Everything is held to the rules that the engine throws by (`sessions/FORMAT.md`, fair dice), from the log alone. Whether a
roll was the rules' to make, and in this slot, is the audit's question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from .dice import Faces
from .draws import face_source, follows, kept_faces, slot_within
from .errors import AffrayError
from .events import Join, Open, Reveal, RevealDice, Rewind, Sealed
from .keep import Keeping
from .ledger import Commit
from .lineage import Amended
from .log import Log
from .names import root, slot
from .nonces import WHY_NOT, why_not
from .state import OpenAction, State
from .steps import Roll
from .verify_claims import Sight, roll_claims
from .witness import witness_for


class DiceReport(msgspec.Struct, frozen=True, kw_only=True):
    """What could be said of the dice: rolls by source, engine rolls whose faces were recomputed, and what is open.

    `overruled` are those whose faces the game master set, `unknown` those whose faces are kept from this copy. `nonces` counts
    those of players, `unknown_nonces` those whose sender is kept; without any, nothing is proven against the host, who
    chose every input.
    """

    engine: int = 0
    scripted: int = 0
    reported: int = 0
    imported: int = 0
    overruled: int = 0
    proven: int = 0
    unrevealed: int = 0
    unknown: int = 0
    nonces: int = 0
    unknown_nonces: int = 0
    before_nonce: int = 0


class _Thrown(msgspec.Struct, frozen=True):
    """An engine roll, and all that its faces come from but the secret.

    `recorded` are the faces it was to keep; None where this copy does not show what its faces come from.
    """

    version: int
    roll: Roll
    chain: str
    epoch: int
    nonces: str
    run: int
    slot: str
    recorded: Faces | None


class DiceCheck:
    """Goes through a log beside the one who verifies it, and tells `find` of every finding: version, code, text."""

    def __init__(self, log: Log, sight: Sight, find: Callable[[int, str, str], None]) -> None:
        self.log = log
        self.sight = sight
        self.find = find
        self.keeping = Keeping()
        self.keeps = False
        self.counts = dict.fromkeys(DiceReport.__struct_fields__, 0)
        self.secrets: dict[tuple[str, int], bytes] = {}
        self.known: dict[str, bytes] = {}
        self.pending: dict[tuple[str, int], list[_Thrown]] = {}
        self.hidden: dict[int, _Thrown | None] = {}
        self.sealed = 0
        self.first_sealed = 0
        self.last_roll = 0
        self.amended = Amended()
        self.lost = 0  # rolls of an origin, whose secrets are opened there if anywhere

    def commit(self, commit: Commit, state: State) -> None:
        """Look at the nonce of the next commit, in the state before it."""
        nonce, sender = commit.envelope.nonce, commit.sender
        if not nonce:
            return
        if sender is None:
            self.counts["unknown_nonces"] += 1
            return
        joining = [event.controller for event in commit.events if type(event) is Join]
        if code := why_not(self.log, state, sender.caller, nonce, joining):
            self.find(commit.first, code, WHY_NOT[code])
        else:
            self.counts["nonces"] += 1

    def event(self, event: Any, version: int, state: State) -> None:
        """Look at an event that the log has taken in, and the state behind it."""
        kind = type(event)
        if kind is Roll:
            self.last_roll = version
            self._roll(event, version, state)
        elif kind is Rewind:
            if self.log.opened is not None and self.log.opened.undo_dice == "forbid" and self.last_roll > event.to:
                self.find(version, "dice-undone", f"takes back the roll of version {self.last_roll}, which is forbidden")
            self.amended.take(event, version)
        elif kind is Sealed:
            self.sealed = version
            self.first_sealed = self.first_sealed or version
        elif kind is Reveal:
            self._opened(event)
        elif kind is Open and version == self.log.opened_at:
            self.lost += sum(len(rolls) for rolls in self.pending.values())
            self.pending, self.secrets = {}, {}
            self.hidden = dict.fromkeys(self.hidden)  # the secrets of the origin are opened there
            self.known = {"open": _bytes(event.chain), "kept": _bytes(event.kept_chain)}
            self.keeps = event.undo_dice == "keep"
        if self.keeps:
            self.keeping.take(event, version)

    # -- one roll

    def _roll(self, roll: Roll, version: int, state: State) -> None:
        if roll.faces is None:
            self.counts["unknown"] += 1
            self.hidden[version] = None
        else:
            self._count(roll)
        run = state.open.get(root(roll.action))
        if run is None and self.sealed:
            return  # an action of which only a part is shown here
        if run is None:
            self.find(version, "no-action", f"a roll of {roll.action}, which is not open")
            return
        if roll.by and roll.by not in state.combatants:
            return  # found already
        if problem := self._source(roll, state):
            self.find(version, "source", problem)
        if roll.source not in ("engine", "scripted"):
            return
        recorded = self._recorded(roll, version, run)
        if roll.reused and roll.reused == self.amended.earlier(self.log, roll) and recorded and roll.faces is not None and _covers(roll, recorded):
            self.counts[roll.source] -= 1  # thrown before, and counted there
            return
        if roll.source == "scripted":
            return
        thrown = self._thrown(roll, version, state, run, recorded)
        if roll.faces is None:
            self.hidden[version] = thrown
        elif thrown is not None:
            self._recompute(thrown)

    def _count(self, roll: Roll) -> None:
        self.counts[roll.source if roll.source in ("engine", "scripted", "reported", "overruled") else "imported"] += 1

    def _source(self, roll: Roll, state: State) -> str:
        """Why the roll cannot have its faces from where it says."""
        fields = state.coming.get(slot(roll), {}) if state.coming else {}
        if "faces" in fields:
            faces = None if roll.faces is None else [list(chain) for chain in roll.faces]
            is_set = roll.source == "overruled" and faces in (None, fields["faces"])
            return "" if is_set else f"the game master set its faces to {fields['faces']}"
        if roll.source == "overruled":
            return "the game master set no faces of it" if self.sight.is_whole else ""
        policy, someone = state.policy(roll.by), state.combatants.get(roll.by)
        allowed = {"scripted": ("scripted",), "scripted-then-fair": ("scripted", "engine")}.get(policy, ("engine",))
        if policy == "reported" and someone is not None and not someone.gone:
            allowed = ("reported",)
        return "" if roll.source in allowed else f"is {roll.source!r} where dice are {policy}"

    def _recorded(self, roll: Roll, version: int, run: OpenAction) -> Faces | None:
        """The faces that the roll was to keep, perhaps none; None where this copy does not show them."""
        if amended := self.amended.earlier(self.log, roll):
            wanted = amended
        elif not self.keeps:
            if roll.reused:
                self.find(version, "reused", "keeps the faces of an earlier roll, which this session does not do")
            return ()
        else:
            wanted = self.keeping.earlier(roll, run)
        if wanted != roll.reused:
            if self.sealed:
                return None  # what is sealed counts as somebody's n-th action, too
            self.find(version, "reused", f"keeps the faces of version {roll.reused}, {wanted} were to be kept (0: none)")
            return ()
        if not wanted:
            return ()
        recorded: Faces | None = self.log.event(wanted).faces
        if recorded and roll.faces and not _keeps(roll, recorded):
            self.find(version, "reused", f"does not keep the faces of version {wanted}")
            return None
        return recorded

    def _thrown(
        self, roll: Roll, version: int, state: State, run: OpenAction, recorded: Faces | None
    ) -> _Thrown | None:
        """What the roll's faces come from; None where that cannot be."""
        log = self.log
        chain = "kept" if roll.blind or run.secret else "open"
        is_fresh = recorded is not None and not _covers(roll, recorded)  # None: this copy cannot tell
        if is_fresh and log.waits_for_nonce(chain):
            text = f"drawn in epoch {log.epochs[chain]} with no nonce of one who knew that it had begun"
            self.find(version, "dice-nonce", text)
        since, chooser = log.choice
        is_witnessed = log.opened is not None and log.opened.witness
        if is_fresh and is_witnessed and chooser and self.sealed < since and (who := witness_for(log, state)):
            self.find(version, "dice-witness", f"thrown before a player who did not choose sent a nonce ({who}'s could)")
        if not (self.counts["nonces"] or self.counts["unknown_nonces"]):
            self.counts["before_nonce"] += 1
        people = state.combatants.values() if ">" in roll.action or not roll.by else (state.combatants[roll.by],)
        try:
            within = slot_within(roll, {one.id: one.number for one in people})
        except KeyError as error:
            self.find(version, "nobody", f"{error} in {slot(roll)} never joined")
            return None
        number = log.run_number(run.since, secret=run.secret)
        if run.secret and 0 < self.first_sealed < run.since:
            recorded = None  # the number of secret runs before it is not known here
        return _Thrown(version, roll, chain, log.epochs[chain], log.nonce_digest, number, within, recorded)

    def _recompute(self, thrown: _Thrown) -> None:
        """Compare faces with those that the secret gives, now or when the epoch is opened."""
        roll, opened = thrown.roll, self.log.opened
        secret = self.secrets.get((thrown.chain, thrown.epoch))
        if secret is None:
            self.pending.setdefault((thrown.chain, thrown.epoch), []).append(thrown)
            return
        if thrown.recorded is None:
            self.counts["unknown"] += 1
            return
        session = opened.session if opened is not None else ""
        face = face_source(secret, session, thrown.epoch, thrown.nonces, thrown.run, thrown.slot)
        try:
            faces = kept_faces(roll.plan, thrown.recorded, face)
        except AffrayError as error:
            self.find(thrown.version, "dice", f"cannot be thrown: {error}")
            return
        if faces == roll.faces:
            self.counts["proven"] += 1
        else:
            self.find(thrown.version, "dice", f"has faces {roll.faces}, the secret gives {faces}")

    # -- what is opened later

    def reveal_dice(self, event: RevealDice, version: int) -> None:
        """Look at the end of an epoch, before the log takes it in."""
        epoch, secret = self.log.epochs.get(event.chain, 0), _bytes(event.secret)
        if epoch and event.epoch != epoch:
            self.find(version, "dice-epoch", f"ends epoch {event.epoch} of the {event.chain} chain, which is in epoch {epoch}")
        known = self.known.get(event.chain, b"")
        if not epoch or not known or not follows(secret, known):
            self.find(version, "dice-secret", f"is not the secret the {event.chain} chain was committed to")
            return
        self.known[event.chain] = self.secrets[event.chain, epoch] = secret
        for thrown in self.pending.pop((event.chain, epoch), []):
            self._recompute(thrown)

    def _opened(self, event: Reveal) -> None:
        """A roll that was kept from this copy is opened."""
        if event.version not in self.hidden:
            return
        roll, thrown = self.log.event(event.version), self.hidden.pop(event.version)
        self.counts["unknown"] -= 1
        self._count(roll)
        for problem in roll_claims(roll):
            self.find(event.version, *problem)
        if thrown is not None:
            self._recompute(msgspec.structs.replace(thrown, roll=roll))

    def report(self) -> DiceReport:
        """What can be said so far."""
        self.counts["unrevealed"] = self.lost + sum(len(rolls) for rolls in self.pending.values())
        return DiceReport(**self.counts)

    def notes(self) -> tuple[str, ...]:
        """What this copy cannot tell of the dice."""
        count = self.counts["unknown_nonces"]
        return (f"{count} nonces have a sender that is kept here: whether players sent them is not known",) if count else ()


def _keeps(roll: Roll, recorded: Faces) -> bool:
    """Whether a roll shows recorded faces wherever it has the die and the link, whatever it shows elsewhere."""
    shown: Faces = roll.faces or ()
    try:
        return kept_faces(roll.plan, recorded, lambda die, link, sides: shown[die][link]) == shown
    except (AffrayError, IndexError):
        return False


def _covers(roll: Roll, recorded: Faces) -> bool:
    """Whether recorded faces are all that a roll needs."""
    try:
        kept_faces(roll.plan, recorded, lambda die, link, sides: recorded[die][link])
    except (AffrayError, IndexError):
        return False
    return True


def _bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


__all__ = ["DiceCheck", "DiceReport"]
