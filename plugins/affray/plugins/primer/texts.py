"""Sentences by code, one table a locale (hook `texts`).

A sentence is looked up from the most to the least particular key: `declare.<action>`, `done.<action>.<outcome>`,
`roll.<step key>`, `ask.<step key>`, `choose.<step key>.<answer>`, `<kind>.<step key>.<code>` and `<kind>.<step key>` for
defend, judge and condition, `save.<save>.<code>`, `<kind>.<step key>` for apply-damage, change and order, `turn.<moment>`,
`turn.end.<key>`, `close.won-by`, `refused.<code>`; `code.<code>` are words for a code.

Placeholders are the event's fields, people by name and codes as words; {dice} is what a roll shows, {at} the count. A margin stands
without its sign. An empty sentence says that a transcript leaves it out: another line says it too.
"""

from __future__ import annotations

from collections.abc import Mapping

from .actions import IN_TURN

LEVELS: Mapping[str, str] = {
    "critical-miss": "{by}: {dice} against {goal}, a critical miss at level -{margin}.",
    "miss": "{by}: {dice} against {goal}, a failure.",
    "graze": "{by}: {dice} against {goal}, a grazing success.",
    "hit": "{by}: {dice} against {goal}, a success at level {margin}.",
    "critical": "{by}: {dice} against {goal}, a critical success at level {margin}.",
}
"""How a roll of a skill is told, by what its level is called."""

CANCELLING: tuple[str, ...] = ("stunned", "2x-stunned", "unconscious", "comatose", "dead")
"""States that may end an action that is pending (P-66)."""

ASKED_SAVES: tuple[str, ...] = ("AGL", "DEX", "STR", "MAG", "WLP", "INT", "DSC")
"""Saves that nothing but a question brings; the two others have words of their own."""

EN: Mapping[str, str] = {
    **{f"save.{name}.passed": "{who} makes the save: {dice} against {goal}." for name in ASKED_SAVES},
    **{f"save.{name}.failed": "{who} fails the save: {dice} against {goal}." for name in ASKED_SAVES},
    # time
    "condition.begin.ended": "",
    "order.stimulus": "{who} perceive what is going on.",
    "turn.stimulus": "Count {at}: {who} perceives something to react to",
    "ask.react": "Which skill does {who} react with?",
    "choose.react": "{who} reacts with {value}.",
    "judge.initiative.waits": "{by} reacts: {dice}, initiative {goal}.",
    "judge.initiative.at-once": "{by} reacts at once: {dice}, initiative {goal}.",
    "change.action-points": "",
    "condition.reaction": "",
    "order.reaction": "",
    "turn.start": "Count {at}: {who} acts",
    "judge.speed": "It takes {goal} counts.",
    "turn.resume": "Count {at}: what {who} began comes about",
    "turn.expiry": "Count {at}: {who}'s time is up",
    "turn.end.declared": "",
    "turn.end.down": "{who} cannot act.",
    "wait.resolve": "It comes at count {at}.",
    "wait.wounds": "",
    "wait.saves": "",
    "wait.states": "",
    "wait.knockback": "",
    # an attack, in the order of its steps
    "declare.attack": "{actor} attacks {target}: {weapon}.",
    "declare.disarm": "{actor} tries to disarm {target}.",
    "ask.defence": "How does {who} meet it?",
    "choose.defence": "",
    "defend.defence": "{who} is {code}.",
    "defend.DEF.aware-defending": "{who} defends: DEF {value}.",
    "defend.DEF": "{who} is {code}: no DEF.",
    "defend.MDF.aware-defending": "{who} defends: MDF {value}.",
    "defend.MDF": "{who} is {code}: no MDF.",
    **{
        f"judge.{key}.{code}": text for key in ("attack", "disarm", "skill", "contest") for code, text in LEVELS.items()
    },
    "judge.critical-miss": "{by} rolls for the critical miss: {dice}, {goal} in all: {code}.",
    "judge.critical-miss.no-table": "{by} rolls for the critical miss: {dice}, {goal} in all; the game master says what it means.",
    "judge.base-damage": "Base damage {goal}, {code}.",
    "judge.location": "It strikes position {goal}: {code}.",
    "defend.reductions": "Wards take {value} off.",
    "defend.armor": "Armour of {value} at that place.",
    "defend.absorption": "{who} absorbs with {value} points of {code}.",
    "apply-damage.damage": "{target} takes {value} {type} damage.",
    "apply-damage.area": "",
    "condition.spent": "",
    "change.wear": "{target}'s armour is worn: {value}.",
    "judge.quarters": "Quarters that {by} has lost: {goal}.",
    "judge.system-shock": "{by}, system shock: {dice}, level {goal}.",
    "save.SYS.no-effect": "{who} withstands the shock: the chance was {goal}.",
    "save.SYS": "{who}: the chance was {goal}, {consequences}.",
    "roll.duration": "How long: {dice}.",
    "condition.state.gained": "{target} is {id} until {until}.",
    "condition.state.renewed": "{target} is {id} until {until}.",
    "condition.state.ended": "",
    "condition.expired.ended": "",
    "order.delayed": "{who} will act later.",
    "order.down": "",
    "condition.soul": "{target}'s soul has left: this is final.",
    "save.HLTH.passed": "{who} keeps healthy: {dice} against {goal}.",
    "save.HLTH.failed": "{who}'s health fails: {dice} against {goal}.",
    "condition.crippled": "{target}: {id}, {source}.",
    "judge.knockback": "{against} is knocked back {goal} feet.",
    # everything else
    "declare.skill": "{actor} uses a skill[ on {target}].",
    "declare.draw": "{actor} draws mana.",
    "declare.wait": "{actor} waits.",
    "declare.react": "{actor} perceives something.",
    "declare.contest": "{actor} contends with {target}.",
    "declare.save": "{actor} is to make a save.",
    "declare.heal": "{actor} heals {target}.",
    "declare.revive": "{actor} fights for {target}'s life.",
    "judge.contested.won": "{by} wins at level {goal}.",
    "judge.contested.won-by-failing-less": "Both fail; {by} fails less and wins at level {goal}.",
    "judge.contested.tie": "A tie: nothing happens.",
    "change.mana": "{target}'s mana: {before} → {after}.",
    "change.healing": "{target} heals {value}.",
    **{
        f"done.{action}.{state}": "{actor} cannot go on with it: {code}."
        for action in IN_TURN
        for state in CANCELLING
    },
    **{f"done.{action}.fight-over": "" for action in IN_TURN},
    "close.won-by": "The fight is over: {side} wins.",
    "close.nobody-left": "The fight is over: nobody is left who can act.",
    # refusals
    "refused.bad-row": "A row at {0} cannot be: {1}.",
    "refused.no-such-weapon": "{0} is not a weapon of this combatant.",
    "refused.no-such-type": "The weapon does no {0} damage.",
    "refused.no-such-skill": "{0} is not a skill of this combatant.",
    "refused.no-such-speed": "An action of {1} counts cannot take {0}.",
    "refused.no-such-area": "{0} is not an area with HTK of its own.",
    "refused.no-reaction": "{0} has not reacted with any skill.",
    "refused.wrong-skill": "{0} is used with {1}, not with {2}.",
    "refused.not-enough-points": "{0} action points are needed, there are {1}.",
    "refused.not-enough-mana": "{0} mana is needed, {1} is held.",
    "refused.bad-amount": "{0} must be 0 or more, with two digits after the point at most, not {1}.",
    "refused.missing-data": "The rules do not give {0}, and neither does the data pack or the sheet[ of {1}].",
    "refused.no-exertion": "Exertion is for system shock over time, not for {0}.",
    "refused.dead": "{0} is dead; only healing or an extreme shock gives another roll.",
    "refused.nothing-to-heal": "Neither a roll nor a given point heals {0} of anything.",
    "refused.wrong-number-of-targets": "There has to be one target, not {0}.",
    # codes
    "code.2x-stunned": "stunned twice over",
    "code.aware-defending": "aware and defending",
    "code.htk": "HTK",
    "code.pow": "POW",
    "code.act": "action points",
    "code.SYS": "system shock",
    "code.PAB": "PAB",
    "code.MAB": "MAB",
    "row.level-factor-cap": "the level factor's cap",
    "row.no-debt": "no debt of action points",
    "row.nothing-below": "nothing below 0",
    "row.no-healing": "no less than 0",
}

TEXTS: Mapping[str, Mapping[str, str]] = {"en": EN}
"""Locale -> key -> sentence."""
