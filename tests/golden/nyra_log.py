"""What a log of the Nyra rules says: pure readings of events and states, in the words of the vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from affray.kernel import ApplyDamage, Declare, Done, Event, Num, Order, State, Turn, fold, moment, root
from affray.plugins.nyra.bodies import BUILDS, SPECIES
from affray.plugins.nyra.sheet import Sheet
from affray.plugins.nyra.wounds import build_of, tier, tier_name, tops

Record = dict[str, Any]
"""An object of the vectors' JSON."""

TOP_OF_CRITICAL = 2
"""Which band of a location ends where its health does."""


def code(location: str) -> str:
    """`Left Arm` as the log says it."""
    return location.lower().replace(" ", "-")


def words(location: str) -> str:
    """`left-arm` as the vectors say it."""
    return location.replace("-", " ").title()


def own(events: Sequence[Event]) -> Iterator[Event]:
    """The events of the action declared first, up to its `done`."""
    if not events:
        return
    declared = events[0]
    assert isinstance(declared, Declare)
    for event in events:
        if root(getattr(event, "action", "")) == declared.action:
            yield event
        if type(event) is Done and event.action == declared.action:
            return


def state_at(events: Sequence[Event], version: int) -> State:
    """The state after so many events."""
    state = State()
    for number, event in enumerate(events[:version], 1):
        state = fold(state, event, number)
    return state


def sheet_in(state: State, who: str) -> Sheet:
    """A combatant's sheet as the system's type."""
    return msgspec.convert(state.combatants[who].sheet, Sheet)


def option(state: State, name: str) -> Any:
    """What an option of the fight says."""
    return state.manifest.options[name] if state.manifest else None


def paid_with(state: State) -> str:
    """The pool that strikes are paid from: `delay` in the duel, `energy` in the bank."""
    return "energy" if option(state, "variant") == "bank" else "delay"


def located(state: State, who: str, face: Num | None) -> str:
    """The location that a face of the die of somebody's body names."""
    location, _ = SPECIES[sheet_in(state, who).species].locations[int(face or 0) - 1]
    return words(location)


def stated_health(state: State, who: str, location: str) -> int | None:
    """The health that counts at a location instead of bands; None where bands count."""
    stated = sheet_in(state, who).health or {}
    return stated.get(location) if option(state, "variant") == "bank" else None


def wound(state: State, who: str, location: str) -> Record:
    """The tier of a location and what it bleeds, off the conditions. Nothing where health is stated."""
    if stated_health(state, who, location) is not None:
        return {}
    held = state.combatants[who].conditions
    if "dead" in held:
        return {"tier": "dead", "bleed_per_turn": None}
    worst = held.get(f"wound-{location}")
    bleeding = held.get(f"bleeding-{location}")
    names = BUILDS[build_of(sheet_in(state, who), location)].tiers
    return {
        "tier": names[int(worst.value or 0)] if worst else "unhurt",
        "bleed_per_turn": bleeding.value if bleeding else 0,
    }


def health(state: State, who: str, location: str) -> int:
    """The damage up to which a location holds: its health as stated, else the top of the critical band."""
    sheet = sheet_in(state, who)
    stated = stated_health(state, who, location)
    if stated is not None:
        return stated
    return tops(sheet, build_of(sheet, location), option(state, "modifier"))[TOP_OF_CRITICAL]


def order_of(events: Sequence[Event], names: Mapping[str, str]) -> list[str]:
    """The order of play that `begin` settled."""
    entries = [
        entry
        for event in events
        if type(event) is Order and event.key == "order"
        for entry in event.entries
    ]
    return [names[entry.who] for entry in sorted(entries, key=lambda entry: moment(entry.when))]


def left_at_start(events: Sequence[Event], opened: int, who: str) -> Num | None:
    """The delay or energy somebody has when the upkeep of the turn that version `opened` started is done."""
    turn = events[opened - 1]
    assert isinstance(turn, Turn)
    closed = next(
        number
        for number, event in enumerate(events, 1)
        if type(event) is Done and event.action == turn.action
    )
    state = state_at(events, closed)
    return state.combatants[who].pools[paid_with(state)]


def is_bleeding(event: Event) -> bool:
    """Tell whether this is a turn's bleeding of one location."""
    return type(event) is ApplyDamage and event.key == "bleeding"


def bled(state: State, event: Any, names: Mapping[str, str]) -> Record:
    """One loss by bleeding, as the vectors say it."""
    location, after = event.pools[0], event.after
    sheet = sheet_in(state, event.target)
    return {
        "who": names[event.target],
        "location": words(location),
        "loss": event.value,
        "total": after,
        "tier": tier_name(sheet, location, tier(sheet, location, after, option(state, "modifier"))),
    }
