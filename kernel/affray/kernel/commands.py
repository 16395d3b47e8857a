"""What a client may ask for. Commands are values; whether one is allowed is `decide`'s business.

On the wire a command is an object with `do` naming it. Everything optional has a default, so that a client writes
only what it means.
"""

from __future__ import annotations

import msgspec

from .errors import InputError
from .events import Effect
from .inputs import check_json, check_text
from .ledger import canonical, sha256
from .limits import NUMBER_MAX
from .names import check_id
from .numbers import Num
from .values import GM, PUBLIC, Held, Json, Manifest, Modifier


class _Command(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="do", forbid_unknown_fields=True, omit_defaults=True
):
    pass


class Join(_Command, frozen=True, tag="join"):
    """A combatant enters. `pools` overrides where pools start, `conditions` are those it brings along."""

    id: str
    name: str
    side: str
    controller: str = GM
    sheet: dict[str, Json] = {}
    pools: dict[str, Num] = {}
    conditions: tuple[Held, ...] = ()
    secret: bool | None = None
    """Keep its numbers from the players; None means: exactly if the game master controls it."""
    player: str = ""


class Leave(_Command, frozen=True, tag="leave"):
    """A combatant leaves the fight."""

    id: str


class Begin(_Command, frozen=True, tag="begin"):
    """Start the clock."""


class Close(_Command, frozen=True, tag="close"):
    """End the fight; open actions are cancelled."""

    code: str = "closed"


class Declare(_Command, frozen=True, tag="declare"):
    """Declare an action. `rows` are ad-hoc modifiers; `secret` keeps all of it from the other players."""

    actor: str
    name: str
    targets: tuple[str, ...] = ()
    params: dict[str, Json] = {}
    rows: tuple[Modifier, ...] = ()
    secret: bool = False


class Answer(_Command, frozen=True, tag="answer"):
    """Answer a prompt, named by its slot, for the combatant `who`, with an option's code."""

    slot: str
    who: str
    value: str


class Report(_Command, frozen=True, tag="report"):
    """Report dice that were rolled at the table: one chain of faces a die, as the prompt's plan asks."""

    slot: str
    who: str
    faces: tuple[tuple[int, ...], ...]


class Note(_Command, frozen=True, tag="note"):
    """Write something into the log; `secret` keeps it to the game master and the writer."""

    text: str
    secret: bool = False


class Overrule(_Command, frozen=True, tag="overrule"):
    """The game master sets something, with a reason."""

    reason: str
    effect: Effect


class SetRules(_Command, frozen=True, tag="set-rules"):
    """Change the manifest from here on."""

    manifest: Manifest
    reason: str = ""


class Reveal(_Command, frozen=True, tag="reveal"):
    """Open the kept part of an earlier event to everybody."""

    version: int


class RevealDice(_Command, frozen=True, tag="reveal-dice"):
    """End the present epoch of a dice chain (`open` or `kept`) and open its secret."""

    chain: str = "open"


class Undo(_Command, frozen=True, tag="undo"):
    """Take back the last action, or the one named (its id)."""

    action: str = ""


class Redo(_Command, frozen=True, tag="redo"):
    """Return to where the newest undo came from."""


class _Edit(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="edit", forbid_unknown_fields=True, omit_defaults=True
):
    pass


class Word(_Edit, frozen=True, kw_only=True, tag="overrule"):
    """The game master's word, put right before (or after) the command that holds version `at`, and moving with it.

    So a modifier, a face, a number of a coming step, a pool or a condition is set as if it had been said then. What the
    rules refuse of it refuses the whole amend.
    """

    at: int
    effect: Effect
    after: bool = False


class Reanswer(_Edit, frozen=True, kw_only=True, tag="answer"):
    """Another answer than the one at version `at`."""

    at: int
    value: str


class Redeclare(_Edit, frozen=True, kw_only=True, tag="declare"):
    """Other targets or parameters of the declaration at version `at`; None leaves them."""

    at: int
    targets: tuple[str, ...] | None = None
    params: dict[str, Json] | None = None


class Resheet(_Edit, frozen=True, kw_only=True, tag="sheet"):
    """Another sheet for the combatant that joined at version `at`; pools that began where the old one has them move with it."""

    at: int
    sheet: dict[str, Json]


class Drop(_Edit, frozen=True, kw_only=True, tag="drop"):
    """The command that holds version `at` is not run again."""

    at: int


class Supply(_Edit, frozen=True, kw_only=True, tag="supply"):
    """An answer to a prompt that the record did not have: the prompt's slot, for whom, the option's code."""

    slot: str
    who: str
    value: str


Edit = Word | Reanswer | Redeclare | Resheet | Drop | Supply


class Amend(_Command, frozen=True, kw_only=True, tag="amend"):
    """Go back, change what was forgotten or wrong, and run everything since again with its dice and answers.

    It goes back to before the earliest version that the edits name, and before `since` where that is earlier (0: not
    told). Versions are those of the present line. It stops where the record has no answer or declaration for what comes
    up; once that is made, the same with `go_on` does what is left, edits included: then further edits name versions of
    what is left, by the record that is run again, and there needs no reason but for them. At most AMEND_EDITS edits.
    """

    edits: tuple[Edit, ...] = ()
    reason: str
    since: int = 0
    go_on: bool = False


Command = (
    Join
    | Leave
    | Begin
    | Close
    | Declare
    | Answer
    | Report
    | Note
    | Overrule
    | SetRules
    | Reveal
    | RevealDice
    | Undo
    | Redo
    | Amend
)


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A command with who sent it.

    `id` is the client's own name for it: sent again with the same content it is answered again and nothing happens.
    `seen` is the head the caller had seen (-1: not told). `nonce` is random text of a player's client.
    """

    id: str
    command: Command
    caller: str = GM
    on_behalf: str = ""
    seen: int = -1
    nonce: str = ""

    def digest(self) -> str:
        """SHA-256 of the command's content, by which a repetition is told from another command."""
        return sha256(canonical(self.command))

    @property
    def is_secret(self) -> bool:
        """Whether the envelope keeps its sender."""
        return bool(getattr(self.command, "secret", False)) and not isinstance(self.command, Join)


_decode = msgspec.json.Decoder(Command).decode


def check_request(request: Request) -> None:
    """Raise InputError for a request that was not made of the types it says, with the path of the first problem."""
    check_id(request.id, "a command's id", "$.id")
    check_id(request.caller, "a caller", "$.caller")
    if request.caller == PUBLIC:
        raise InputError("nobody is the public", path="$.caller", value=PUBLIC)
    if request.on_behalf or request.nonce:
        check_text(request.on_behalf, "$.on_behalf", empty=True)
        check_text(request.nonce, "$.nonce", empty=True)
    if type(request.seen) is not int or not -1 <= request.seen <= NUMBER_MAX:
        raise InputError("must be a version, or -1", path="$.seen", value=request.seen)
    try:
        _decode(canonical(request.command))
    except msgspec.ValidationError as error:
        problem, _, where = str(error).partition(" - at `")
        raise InputError(problem, path=where.rstrip("`") or "$") from None
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        check_json(_plain(request.command), "$")  # knows where
        raise InputError(f"cannot be read: {error}") from None


def _plain(command: Command) -> Json:
    """A command as JSON, or those parts of it that may hold anything where it cannot be."""
    if not isinstance(command, _Command):
        raise InputError("is no command", value=command)
    try:
        return msgspec.to_builtins(command)
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError):
        plain = {name: getattr(command, name) for name in command.__struct_fields__}
        plain["effect"] = {"fields": getattr(plain.get("effect"), "fields", {})}
        return {name: value for name, value in plain.items() if isinstance(value, dict)}


__all__ = [
    "Amend",
    "Answer",
    "Begin",
    "Close",
    "Command",
    "Declare",
    "Drop",
    "Edit",
    "Join",
    "Leave",
    "Note",
    "Overrule",
    "Reanswer",
    "Redeclare",
    "Redo",
    "Report",
    "Request",
    "Resheet",
    "Reveal",
    "RevealDice",
    "SetRules",
    "Supply",
    "Undo",
    "Word",
    "check_request",
]
