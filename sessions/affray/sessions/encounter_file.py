"""Encounter files: a fight written down in TOML, from who takes part to how far it plays by itself.

Here they are read and checked; `encounter.py` plays them, and ENCOUNTERS.md tells the format with samples. An unknown
key, a float or a name that nobody has is refused with the file and the path in it.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Literal

import msgspec

from affray.kernel import (
    GM,
    Held,
    InputError,
    Json,
    Num,
    check_id,
    check_json,
    check_text,
    limits,
)

from .entropy import POLICIES, UNDO_DICE

FILE_BYTES = 1_000_000
"""Bytes of an encounter file."""

COMMANDS_MAX = 10_000
"""Largest bound an encounter may set itself."""

EVERYBODY = "*"


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Combatant(_Part, frozen=True):
    """Who takes part. `secret` left out means: exactly if the game master controls it. `pools` says where pools start,
    `conditions` what somebody comes with.
    """

    id: str
    side: str
    name: str = ""
    controller: str = GM
    player: str = ""
    secret: bool | None = None
    sheet: dict[str, Json] = {}
    pools: dict[str, Num] = {}
    conditions: tuple[Held, ...] = ()


class Declare(_Part, frozen=True, tag_field="do", tag="declare"):
    """Somebody declares an action."""

    actor: str
    action: str
    targets: tuple[str, ...] = ()
    params: dict[str, Json] = {}
    secret: bool = False


class Reply(_Part, frozen=True, tag_field="do", tag="answer"):
    """Somebody answers an open prompt; `key` names it where more than one waits for them."""

    who: str
    value: str
    key: str = ""


class Report(_Part, frozen=True, tag_field="do", tag="report"):
    """Somebody reports dice from the table: one face a die, or a list of faces for a die that went on."""

    who: str
    faces: tuple[int | tuple[int, ...], ...]
    key: str = ""


class Note(_Part, frozen=True, tag_field="do", tag="note"):
    """Something is written into the log."""

    text: str
    secret: bool = False


class EndTurn(_Part, frozen=True, tag_field="do", tag="end-turn"):
    """Somebody ends the turn by choice."""

    actor: str


Entry = Declare | Reply | Report | Note | EndTurn


class Move(_Part, frozen=True):
    """An action to try. Without targets it takes the first that may be named."""

    action: str
    targets: tuple[str, ...] = ()
    params: dict[str, Json] = {}


class Auto(_Part, frozen=True):
    """How somebody plays who is not asked.

    `moves` are tried in order until one is allowed, then whatever the rules offer; `answers` gives an option by the
    prompt's key, and every other prompt gets its `first` or `last` option.
    """

    moves: tuple[Move, ...] = ()
    answers: dict[str, str] = {}
    otherwise: Literal["first", "last"] = "first"


class Encounter(_Part, frozen=True):
    """A fight as it is written down. `commands` bounds what `auto` may do.

    Options come from the system's `bundle`, then from the files named in `options_files`, then from `options`; what
    comes later wins. A file that was read has its `options_files` in `options` already.
    """

    system: str
    combatants: tuple[Combatant, ...]
    title: str = ""
    bundle: str = ""
    options_files: tuple[str, ...] = ()
    options: dict[str, Json] = {}
    house: tuple[str, ...] = ()
    dice: str | dict[str, str] = "fair"
    faces: tuple[int, ...] = ()
    undo_dice: str = "redraw"
    script: tuple[Entry, ...] = ()
    auto: Literal["first", "last"] | dict[str, Auto] | None = None
    commands: int = 1000


# -- reading


def read_encounter(path: Path) -> Encounter:
    """Read an encounter file and the options files beside it. Raises OSError, InputError with the file and the path in it."""
    encounter = parse_encounter(_bytes(path), path.name)
    options = options_beside(path, encounter.options_files)
    return msgspec.structs.replace(encounter, options={**options, **encounter.options}, options_files=())


def read_table(path: Path) -> dict[str, Json]:
    """Read a TOML file as JSON values without floats. Raises OSError, InputError with the file and the path in it."""
    return _table(_bytes(path), path.name)


def options_beside(path: Path, names: tuple[str, ...]) -> dict[str, Json]:
    """Read the options files that a file names in `options_files`; a later one wins. Raises InputError with file and path."""
    options: dict[str, Json] = {}
    for index, name in enumerate(names):
        where = f"$.options_files[{index}]"
        if not name or "\0" in name or Path(name).name != name:
            raise in_file(InputError("must name a file beside this one", path=where, value=name), path.name)
        try:
            options |= read_table(path.with_name(name))
        except OSError as error:
            raise in_file(InputError(f"cannot be read: {error.strerror}", path=where, value=name), path.name) from None
    return options


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(FILE_BYTES + 1)


def parse_encounter(data: bytes, where: str = "encounter") -> Encounter:
    """Read the text of an encounter file; `where` is what messages call it. Raises InputError."""
    raw = _table(data, where)
    try:
        encounter = _typed(raw)
        _check(encounter)
    except InputError as error:
        raise in_file(error, where) from None
    return encounter


def _table(data: bytes, where: str) -> dict[str, Json]:
    """A TOML file as JSON values without floats."""
    if len(data) > FILE_BYTES:
        raise InputError(f"has more than {FILE_BYTES} bytes", path=where)
    try:
        raw = tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})", path=where) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not TOML: {error}", path=where) from None
    except RecursionError:
        raise InputError("is nested too deeply", path=where) from None
    try:
        check_json(raw)
    except InputError as error:
        raise in_file(error, where) from None
    return raw


def in_file(error: InputError, where: str) -> InputError:
    """An error with the file's name before its path."""
    return InputError(error.problem, path=f"{where}, {error.path}", value=error.value)


_UNKNOWN = re.compile(r"Object contains unknown field `([^`]*)`")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
_ANY_KEY = "[...]"

_CHOICES = {
    "$.auto": "first, last or a table a controller",
    ".otherwise": "first, last",
    ".do": ", ".join([str(kind.__struct_config__.tag) for kind in Entry.__args__]),
}
"""Ending of a path -> what may stand there."""


def _typed(raw: dict[str, Json]) -> Encounter:
    try:
        return msgspec.convert(raw, Encounter)
    except msgspec.ValidationError as error:
        problem, path = _told(error)
        while _ANY_KEY in path and (key := _key_at_fault(raw, path)):
            path = path.replace(_ANY_KEY, f".{key}", 1)
        if unknown := _UNKNOWN.match(problem):
            problem = f"there is no {unknown[1]!r} here; there are {', '.join(_fields_at(raw, path))}"
        elif problem.startswith("Invalid"):
            problem += "".join([f"; there are {told}" for end, told in _CHOICES.items() if path.endswith(end)])
        raise InputError(problem, path=path) from None


def _told(error: msgspec.ValidationError) -> tuple[str, str]:
    problem, _, place = str(error).partition(" - at `")
    return problem, place.rstrip("`") or "$"


def _key_at_fault(raw: dict[str, Json], path: str) -> str:
    """Which key of a table a message means that says "[...]" instead; "" where that cannot be told."""
    before = path.partition(_ANY_KEY)[0]
    table: Json = raw
    try:
        for name, index in _STEP.findall(before):
            table = table[name or int(index)]
    except (LookupError, TypeError):  # below a key that reads like a path itself
        return ""
    whole = dict(table)
    for key in whole:
        table.clear()
        table[key] = whole[key]
        try:
            msgspec.convert(raw, Encounter)
        except msgspec.ValidationError as error:
            if _told(error)[1].startswith(before + _ANY_KEY):
                return str(key)
        finally:
            table.update(whole)
    return ""


def _fields_at(raw: dict[str, Json], path: str) -> tuple[str, ...]:
    """The keys that may stand at a path of a file."""
    if path.startswith("$.combatants"):
        return Held.__struct_fields__ if ".conditions" in path else Combatant.__struct_fields__
    if path.startswith("$.auto"):
        return Move.__struct_fields__ if ".moves" in path else Auto.__struct_fields__
    if index := re.match(r"\$\.script\[(\d+)\]", path):
        kinds = {str(kind.__struct_config__.tag): kind for kind in Entry.__args__}
        return ("do", *kinds[raw["script"][int(index[1])]["do"]].__struct_fields__)
    return Encounter.__struct_fields__


def _check(encounter: Encounter) -> None:
    """What types do not say: ids, names that somebody has, dice that fit together."""
    check_text(encounter.title, "$.title", empty=True)
    if not encounter.combatants:
        raise InputError("nobody takes part; write a [[combatants]] table for each", path="$.combatants")
    people: dict[str, Combatant] = {}
    for index, one in enumerate(encounter.combatants):
        path = f"$.combatants[{index}]"
        check_id(one.id, "a combatant's id", f"{path}.id")
        check_id(one.side, "a side", f"{path}.side")
        check_id(one.controller, "a controller", f"{path}.controller")
        check_text(one.name, f"{path}.name", empty=True)
        check_text(one.player, f"{path}.player", empty=True)
        for place, held in enumerate(one.conditions):
            check_id(held.id, "a condition's id", f"{path}.conditions[{place}].id")
        if one.id in people:
            raise InputError("somebody has this id already", path=f"{path}.id", value=one.id)
        people[one.id] = one
    _check_dice(encounter, {GM, *[one.controller for one in encounter.combatants]})
    _check_script(encounter, list(people))
    if not 1 <= encounter.commands <= COMMANDS_MAX:
        raise InputError(f"must be 1 to {COMMANDS_MAX}", path="$.commands", value=encounter.commands)


def _check_dice(encounter: Encounter, controllers: set[str]) -> None:
    dice, auto = encounter.dice, encounter.auto
    policies = {EVERYBODY: dice} if isinstance(dice, str) else dice
    for who, policy in policies.items():
        path = "$.dice" if isinstance(dice, str) else f"$.dice.{who}"
        if policy not in POLICIES:
            raise InputError(f"no such dice policy; there are {', '.join(POLICIES)}", path=path, value=policy)
        _somebody(who, [EVERYBODY, *sorted(controllers)], path)
    is_scripted = any(policy.startswith("scripted") for policy in policies.values())
    if is_scripted and not encounter.faces:
        raise InputError("scripted dice need their faces in `faces`", path="$.faces")
    if encounter.faces and not is_scripted:
        raise InputError("faces are for a scripted dice policy; `dice` names none", path="$.faces")
    for index, face in enumerate(encounter.faces):
        if face < 1:
            raise InputError("a face is a whole number from 1", path=f"$.faces[{index}]", value=face)
    if encounter.undo_dice not in UNDO_DICE:
        raise InputError(f"must be one of {', '.join(UNDO_DICE)}", path="$.undo_dice", value=encounter.undo_dice)
    if isinstance(auto, dict):
        for who in auto:
            _somebody(who, [EVERYBODY, *sorted(controllers)], f"$.auto.{who}")


def _check_script(encounter: Encounter, people: list[str]) -> None:
    for index, entry in enumerate(encounter.script):
        path = f"$.script[{index}]"
        match entry:
            case Declare() | EndTurn():
                _somebody(entry.actor, people, f"{path}.actor")
                for place, who in enumerate(getattr(entry, "targets", ())):
                    _somebody(who, people, f"{path}.targets[{place}]")
            case Reply() | Report():
                _somebody(entry.who, people, f"{path}.who")
            case Note():
                check_text(entry.text, f"{path}.text", most=limits.TEXT_LENGTH)


def _somebody(who: str, known: list[str], path: str) -> None:
    if who not in known:
        raise InputError(f"there is nobody of that name; there are {', '.join(known)}", path=path, value=who)
