"""Sentences by code, one table a locale (hook `texts`).

A sentence is looked up from the most to the least particular key:

| kind | keys |
|---|---|
| declare | `declare.<action>.<a parameter's value>`, `declare.<action>` |
| done | `done.<action>.<outcome>` |
| roll | `roll.<step key>` |
| choose | `choose.<step key>.<answer>` |
| ask | `ask.<step key>` |
| defend, judge, condition | `<kind>.<step key>.<code>`, `<kind>.<step key>` |
| apply-damage, change, order | `<kind>.<step key>` |
| turn | `turn.start`, `turn.start.opening` for a stealth opening, `turn.end.<key of the step that ended it>` |
| close | `close.won-by` with the side as {side}, `close.nobody-left` |
| refused | `refused.<code>`; {0}, {1} and so on are the refusal's arguments |

`code.<code>` are words for a code: a location, damage type, guard, condition or row of a trace.

Placeholders are the event's fields, people by name and codes as words ({actor}, {target}, {by}, {who}, {against}, {value},
{before}, {after}, {id}, {type}, {goal}, {margin}); a declaration's parameters ({weapon}, {aim}); {dice}, what the roll
behind a step shows; {location}, the first pool damaged; {at}, the phase. An empty sentence says that a transcript
leaves it out: another line says it too.
"""

from __future__ import annotations

from collections.abc import Mapping

from .bodies import SPECIES


def _of_locations() -> dict[str, str]:
    """Words for the conditions that every location can have."""
    found: dict[str, str] = {}
    for species in SPECIES.values():
        for location, _ in species.locations:
            words = location.replace("-", " ")
            found[f"code.wound-{location}"] = f"wound to the {words}"
            found[f"code.bleeding-{location}"] = f"bleeding from the {words}"
            found[f"code.mangled-{location}"] = f"mangled {words}"
            found[f"code.severed-{location}"] = f"severed {words}"
            found[f"code.spent-{location}"] = f"no health left in the {words}"
    return found


EN: Mapping[str, str] = {
    **_of_locations(),
    # a strike, in the order of its steps
    "declare.strike.wild": "{actor} strikes wildly at {target}: {weapon}, {type}.",
    "declare.strike.aimed": "{actor} aims at {target}'s {aim}: {weapon}, {type}.",
    "declare.end-turn": "{actor} waits for the next phase.",
    "change.delay": "",
    "change.energy": "The swing takes {target}'s energy from {before} to {after}.",
    "condition.revealed.ended": "{target} is hidden no more.",
    "condition.delay-owed.gained": "{target} spends {value} delay of the first turn in advance.",
    "condition.delay-owed.ended": "",
    "roll.attack": "{by} attacks: {dice}.",
    "judge.attack.success": "{by} attacks: {dice} against {goal}, margin {margin}.",
    "judge.attack.critical": "{by} attacks: {dice}, a critical success against {goal}, margin {margin}.",
    "judge.attack.miss": "{by} attacks: {dice} against {goal}, a miss.",
    "judge.attack.fumble": "{by} attacks: {dice}, a fumble.",
    "change.fumble": "The weapon suffers: its durability falls from {before} to {after}.",
    "ask.defence": "How does {who} defend?",
    "choose.defence.dodge": "{who} tries to dodge.",
    "choose.defence.defense": "{who} tries to block.",
    "choose.defence.none": "{who} does not defend.",
    "defend.defence": "",
    "roll.defence": "{by} defends: {dice}.",
    "judge.defence.success": "{by} defends: {dice} against {goal}, margin {margin}.",
    "judge.defence.critical": "{by} defends: {dice} against {goal}, margin {margin}.",
    "judge.defence.failure": "{by} defends: {dice} against {goal}, too much.",
    "judge.defence.fumble": "{by} defends: {dice}, which never succeeds.",
    "judge.contest.hit": "The strike gets through.",
    "judge.contest.defended": "The defence holds.",
    "judge.contest.tie": "Equal margins: both roll again.",
    "judge.avoid.hit": "",
    "judge.avoid.unavoidable": "A critical success cannot be avoided.",
    "judge.avoid.avoided": "The defence holds.",
    "roll.tiebreak": "{by} rolls again: {dice}.",
    "roll.location": "The strike finds its place: {dice}.",
    "roll.damage": "{by} rolls damage: {dice}.",
    "apply-damage.damage": "{target} takes {value} {type} damage to the {location}.",
    "change.forfeit": "{target} loses the {before} delay that was left.",
    # wounds
    "apply-damage.bleeding": "{target} bleeds from the {location}: {value}.",
    "condition.slight-wound": "{target} has a slight {id}.",
    "condition.serious-wound": "{target} has a serious {id}.",
    "condition.critical-wound": "{target} has a critical {id}.",
    "condition.mangled-wound": "",
    "condition.severed-wound": "",
    "condition.mangled": "{target} has a {id}.",
    "condition.mangled.ended": "",
    "condition.severed": "{target} has a {id}.",
    "condition.spent": "{target} has {id}.",
    "condition.bleeding.gained": "{target} begins to lose {value} a turn: {id}.",
    "condition.bleeding.renewed": "{target} now loses {value} a turn: {id}.",
    "condition.bleeding.ended": "",
    "condition.death": "{target} is dead.",
    "order.death": "{who} leaves the order of play.",
    # turns
    "roll.tie": "{by} rolls for a place in the order: {dice}.",
    "change.tie": "",
    "order.order": "Order of play: {who}.",
    "order.late": "{who} finds a place in the order.",
    "order.next-turn": "",
    "turn.start": "Phase {at}: {who}'s turn.",
    "turn.start.opening": "Before the first phase: {who} may strike from hiding.",
    "change.refill": "",
    "turn.end.blocked": "The block ends {who}'s turn.",
    "turn.end.delay-spent": "{who} has no delay left for another strike.",
    "turn.end.one-swing": "",
    "turn.end.choice": "",
    "turn.end.opening": "The opening is over.",
    "turn.end.death": "{who} takes no more turns.",
    "close.won-by": "The fight is over: {side} wins.",
    "close.nobody-left": "The fight is over: nobody is left standing.",
    # refusals
    "refused.no-such-weapon": "{0} is not a weapon of this combatant.",
    "refused.damage-type-not-available": "{0} cannot be used for {1} damage.",
    "refused.not-enough-delay": "{0} takes {1} delay, and {2} is left.",
    "refused.exhausted": "Exhausted: {0} costs {1} energy of {2}, and no less than {3} may be left.",
    "refused.aim-missing": "An aimed strike names the location it is aimed at.",
    "refused.aim-not-allowed": "A wild strike lands where it will; it cannot be aimed at the {0}.",
    "refused.no-such-location": "There is no {0} to aim at.",
    "refused.not-a-target": "{0} cannot be struck.",
    "refused.wrong-number-of-targets": "A strike has one target, not {0}.",
    "refused.not-your-turn": "It is not {0}'s turn.",
    "refused.dead": "{0} is dead.",
    # codes
    "code.P": "piercing",
    "code.S": "slashing",
    "code.C": "cleaving",
    "code.B": "bludgeoning",
    "code.dodge": "Dodge",
    "code.defense": "Defense",
    "code.none": "no defence",
    "code.dead": "dead",
    "code.flat": "flat",
    "code.armor": "armor",
    "row.in-battle": "halved in battle",
    "row.critical": "critical: the dice again",
    "row.no-healing": "never below 0",
}

TEXTS: Mapping[str, Mapping[str, str]] = {"en": EN}
"""Locale -> key -> sentence."""
