"""Wounds: how bad a location is, when it bleeds, what it loses and who dies of it (nyra.md, 1.6).

Damage adds up in one pool a location. What came of it stands in conditions, so that a log is read without these rules:
`wound-<location>` holds the number of the worst tier the location has reached, `bleeding-<location>` what it loses in
a turn, `mangled-<location>`, `severed-<location>` and `dead` say so by being there.

Nothing here heals. Whoever is treated at the table (a doctor, a suture) loses the condition by a game master's
overrule; a bleeding that ended begins again only when the location gets worse.

In the bank a location whose health the sheet states has no bands: damage is taken from that one number and what comes of
it is the game master's word. `spent-<location>` says that nothing is left of it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

from affray.kernel import ApplyDamage, Condition, EndTurn, Exact, Fight, Order, Row, Steps, exact, number

from .bodies import BLEEDS, BUILD, BUILDS
from .checks import RULE
from .options import ModifierTable
from .sheet import Sheet, modifier

DEAD = "dead"
WOUND = "wound-"
BLEEDING = "bleeding-"
SPENT = "spent-"

CRIPPLED = ("mangled", "severed")
"""Tiers of a limb that are conditions of their own; the later replaces the earlier."""


def tops(sheet: Sheet, build: str, table: ModifierTable) -> tuple[int, ...]:
    """Give the inclusive upper ends of the bands of a build (head, chest, limb) on this sheet."""
    bonus = modifier(sheet.CON, table)
    return tuple(
        [share.CON * sheet.CON + share.STR * sheet.STR + share.modifier * bonus for share in BUILDS[build].tops]
    )


def tier(sheet: Sheet, location: str, damage: Exact, table: ModifierTable) -> int:
    """Number the tier a location is in with this much damage: 0 is unhurt."""
    return bisect_left((0, *tops(sheet, build_of(sheet, location), table)), damage)


def tier_name(sheet: Sheet, location: str, number: int) -> str:
    """Name a tier: unhurt, slight, serious, critical, then mangled and severed for a limb, dead for head and chest."""
    return BUILDS[build_of(sheet, location)].tiers[number]


def build_of(sheet: Sheet, location: str) -> str:
    """Name the build of a location: head, chest or limb."""
    return BUILD[sheet.species][location]


def is_dead(fight: Fight, who: str) -> bool:
    """Tell whether a combatant is dead."""
    return fight.has(who, DEAD)


def alive(fight: Fight) -> tuple[str, ...]:
    """List everybody who is present and not dead, in the order of joining."""
    return tuple([one.id for one in fight.state.combatants.values() if not one.gone and DEAD not in one.conditions])


def worsen(fight: Fight, who: str, location: str) -> Steps:
    """Let a location enter every tier its damage has reached, if it is worse than any it was in before."""
    if location in stated_health(fight, who):
        yield from run_out(fight, who, location)
        return
    sheet: Sheet = fight.sheet(who)
    before = _held(fight, who, WOUND + location)
    after = tier(sheet, location, fight.pool(who, location), fight.options.modifier)
    if after <= before or is_dead(fight, who):
        return
    name = tier_name(sheet, location, after)
    if name == DEAD:
        yield from die(fight, who)
        return
    yield _gain(fight, f"{name}-wound", who, WOUND + location, after)
    if name in CRIPPLED:
        yield from cripple(fight, who, location, name)
    bleeds = _held(fight, who, BLEEDING + location)
    rate = bleeds + sum([BLEEDS.get(tier_name(sheet, location, new), 0) for new in range(int(before) + 1, after + 1)])
    if rate > bleeds:
        yield _gain(fight, "bleeding", who, BLEEDING + location, rate)


def stated_health(fight: Fight, who: str) -> Mapping[str, int]:
    """Give the health that counts instead of bands, by location: none in a duel, what the sheet states in the bank.

    The seed's arm of 25 at CON 6 and STR 6 fits no formula (contradiction 9), so it is a stored number.
    """
    sheet: Sheet = fight.sheet(who)
    return (sheet.health or {}) if fight.options.is_bank else {}


def run_out(fight: Fight, who: str, location: str) -> Steps:
    """Show when nothing is left of a location's health. Its effects are the game master's (section 2)."""
    is_spent = fight.pool(who, location) >= stated_health(fight, who)[location]
    if is_spent and not fight.has(who, DEAD, SPENT + location):
        yield Condition("spent", target=who, id=SPENT + location)


def cripple(fight: Fight, who: str, location: str, name: str) -> Steps:
    """Let a limb be mangled or severed; the later takes the earlier's place."""
    for other in CRIPPLED:
        if fight.has(who, f"{other}-{location}"):
            yield Condition(other, target=who, id=f"{other}-{location}", code="ended")
    yield Condition(name, target=who, id=f"{name}-{location}")


def worsen_all(fight: Fight, who: str) -> Steps:
    """Let every location enter the tier its damage has reached: damage somebody came with, or was given by a ruling."""
    for location in fight.sheet(who).locations:
        if fight.pool(who, location):
            yield from worsen(fight, who, location)


def bleed(fight: Fight, who: str) -> Steps:
    """Let every bleeding location lose, one by one in the order of their numbers, until the bleeder is dead."""
    for location in fight.sheet(who).locations:
        rate = _held(fight, who, BLEEDING + location)
        if rate <= 0 or is_dead(fight, who):
            continue
        yield ApplyDamage(
            "bleeding",
            target=who,
            pools=(location,),
            value=number(rate),
            trace=(Row("bleeding", number(rate), RULE),),
        )
        yield from worsen(fight, who, location)


def die(fight: Fight, who: str) -> Steps:
    """Die: all bleeding stops, no turn is left, and a turn in progress ends."""
    for held in tuple(fight.conditions(who)):
        if held.startswith(BLEEDING):
            yield Condition("bleeding", target=who, id=held, code="ended")
    yield Condition("death", target=who, id=DEAD)
    seats = [entry.key for entry in fight.state.agenda.values() if entry.who == who and entry.moment == "start"]
    if seats:
        yield Order("death", drop=tuple(seats))
    if fight.state.turn == who:
        yield EndTurn("death", who=who)


def _held(fight: Fight, who: str, condition: str) -> Exact:
    """The value of a condition, 0 for one that is not held."""
    held = fight.conditions(who).get(condition)
    return 0 if held is None or held.value is None else exact(held.value)


def _gain(fight: Fight, key: str, who: str, condition: str, value: Exact) -> Condition:
    code = "renewed" if fight.has(who, condition) else "gained"
    return Condition(key, target=who, id=condition, code=code, value=number(value))
