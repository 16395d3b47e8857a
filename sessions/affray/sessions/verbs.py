"""What a client says to a session, one method a command: each makes the command and has it done.

Nothing here decides or stores; `Session.request` does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from affray.kernel import GM, Held, Json, Modifier, Num, Refused, commands


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


class Verbs(ABC):
    """The commands by name. Each returns the answer that `request` gives."""

    @abstractmethod
    def request(
        self, command: commands.Command, *, id: str = "", caller: str = GM, nonce: str = "", seen: int = -1
    ) -> Answer:
        """Do a command under an id of its own. A player's client sends a new random `nonce` and the head it has `seen`."""

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
        seen: int = -1,
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
        return self.request(command, caller=caller, nonce=nonce, seen=seen)

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
        seen: int = -1,
        **params: Json,
    ) -> Answer:
        """Declare an action; its parameters are given by name."""
        command = commands.Declare(
            actor=actor, name=name, targets=targets, params=params, rows=rows, secret=secret
        )
        return self.request(command, id=id, caller=caller, nonce=nonce, seen=seen)

    def end_turn(self, actor: str, *, caller: str = GM, nonce: str = "", seen: int = -1) -> Answer:
        """End a turn by choice, where the system has an action `end-turn`."""
        return self.declare(actor, "end-turn", caller=caller, nonce=nonce, seen=seen)

    def answer(
        self, slot: str, who: str, value: str, *, id: str = "", caller: str = GM, nonce: str = "", seen: int = -1
    ) -> Answer:
        """Answer a prompt."""
        command = commands.Answer(slot=slot, who=who, value=value)
        return self.request(command, id=id, caller=caller, nonce=nonce, seen=seen)

    def report(
        self,
        slot: str,
        who: str,
        faces: Sequence[Sequence[int]],
        *,
        id: str = "",
        caller: str = GM,
        nonce: str = "",
        seen: int = -1,
    ) -> Answer:
        """Report dice rolled at the table, one chain of faces a die."""
        command = commands.Report(slot=slot, who=who, faces=tuple(tuple(chain) for chain in faces))
        return self.request(command, id=id, caller=caller, nonce=nonce, seen=seen)

    def note(
        self, text: str, *, secret: bool = False, caller: str = GM, nonce: str = "", seen: int = -1
    ) -> Answer:
        """Write into the log."""
        return self.request(commands.Note(text=text, secret=secret), caller=caller, nonce=nonce, seen=seen)

    def overrule(self, reason: str, effect: Any) -> Answer:
        """The game master sets something."""
        return self.request(commands.Overrule(reason=reason, effect=effect))

    def amend(
        self, *edits: commands.Edit, reason: str = "", since: int = 0, go_on: bool = False, id: str = ""
    ) -> Answer:
        """Change what was forgotten or wrong, and run everything since again with its dice and answers, as one group.

        An edit names a version of the present line (`commands.Word`, `Reanswer`, `Redeclare`, `Resheet`, `Drop`), or gives
        an answer that the record lacks (`Supply`); `since` goes further back. `Session.amend_plan` tells first what comes
        out, `Session.amended` what came out. Where a decision is missing it stops: once that is made, `go_on` does the
        rest. One `undo` takes all of it back.
        """
        command = commands.Amend(edits=edits, reason=reason, since=since, go_on=go_on)
        return self.request(command, id=id)

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


__all__ = ["Answer", "Verbs"]
