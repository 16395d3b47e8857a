"""One strike of a volley, in the order of the rule book (nyra.md, 1.3). The older generation's is `swing.py`.

    pay -> attack roll -> defence -> compare margins -> location -> damage, armour, wounds -> end of the turn?

What a step says counts as it was recorded, after every house rule: the resolver reads `attack.code`, never a copy.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, NamedTuple

from affray.kernel import (
    Action,
    ApplyDamage,
    Ask,
    Change,
    Condition,
    Defend,
    EndTurn,
    Exact,
    Fight,
    Judge,
    Option,
    Roll,
    Row,
    Step,
    Steps,
    dice,
    number,
    slot,
)

from .actions import StrikeParams
from .bodies import SPECIES
from .checks import D10, RULE, SHEET, SUCCEEDED, Check, derived, face, given, outcome
from .damage import part
from .order import HIDDEN
from .sheet import DELAY, Sheet
from .turns import DELAY_OWED, is_opening
from .weapons import Built
from .wounds import worsen

ATTACKS: Mapping[str, Check] = {"wild": Check("normal"), "aimed": Check("difficult", "aimed")}
"""How difficult a strike is (seed)."""

DEFENCE = Check("normal")
"""A defence is rolled at full skill, as often as somebody is struck; it costs no delay (I 0.8)."""


class Guard(NamedTuple):
    """A defence: the skill it is rolled on, and what becomes of a strike that it stops."""

    skill: str
    stops: str


GUARDS: Mapping[str, Guard] = {
    "dodge": Guard("Dodge", stops="dodged"),
    "defense": Guard("Defense", stops="blocked"),
}
"""The defences. Whoever owns both chooses at each strike (contradiction 14); no shield is needed (contradiction 11)."""

NO_GUARD = "none"

ENDS_TURN = frozenset({"blocked"})
"""Outcomes that end the whole turn, unspent delay lost (seed, contradiction 7). A dodge does not (0.9), nor does a miss
(I 0.85), nor a fumble (I 0.6)."""

ON_TIE: Mapping[str, str] = {"reroll": "tie", "defender": "defended", "attacker": "hit"}
"""What equal margins mean, by option `tie`."""


def strike(fight: Fight, action: Action) -> Steps:
    """Strike once. Outcomes: hit, miss, critical-miss, blocked, dodged."""
    weapon = wielded(fight, action)
    yield from pay(fight, action, weapon)
    attack = yield from attack_roll(fight, action, ATTACKS)
    if attack.code not in SUCCEEDED:  # nobody rolls a defence
        result = yield from miss(fight, action, weapon, attack)
    else:
        result = yield from defend(fight, action, attack)
        if result == "hit":
            location = yield from find_location(fight, action)
            yield from hit(fight, action, weapon, attack, location)
    yield from end_of_volley(fight, action, result)
    return result


def wielded(fight: Fight, action: Action) -> Built:
    """Give the weapon that is named."""
    sheet: Sheet = fight.sheet(action.actor)
    weapon = sheet.arm(action.params.weapon)
    assert weapon is not None, "an unknown weapon is refused"
    return weapon


def pay(fight: Fight, action: Action, weapon: Built) -> Steps:
    """Pay the weapon's delay, hit or miss (I 0.9). In an opening it is owed by the next turn (0.9)."""
    me = action.actor
    assert weapon.delay is not None, "a weapon without a delay does not come into a duel"
    yield Change("delay", target=me, pool=DELAY, value=-weapon.delay)
    yield from reveal(fight, me)
    if is_opening(fight) and fight.state.turn == me:
        yield Condition("delay-owed", target=me, id=DELAY_OWED, value=weapon.delay)


def reveal(fight: Fight, who: str) -> Steps:
    """Let somebody who strikes be hidden no more (1.2 step 1)."""
    if fight.has(who, HIDDEN):
        yield Condition("revealed", target=who, id=HIDDEN, code="ended")


def attack_roll(fight: Fight, action: Action, attacks: Mapping[str, Check]) -> Generator[Step, Any, Judge]:
    """Roll a d10 at or below the effective skill: the skill, made as difficult as `attacks` says for this kind of strike.

    Margin = effective skill - die.
    """
    sheet: Sheet = fight.sheet(action.actor)
    params: StrikeParams = action.params
    rows = (Row("Swords", sheet.skills.Swords, SHEET), *action.rows("attack.skill"))
    goal, rows = derived(rows, attacks[params.strike])
    die = yield from Roll("attack", by=action.actor, plan=D10)
    code = outcome(face(die), goal)
    return (
        yield from Judge(
            "attack",
            by=action.actor,
            code="miss" if code == "failure" else code,
            goal=number(goal),
            margin=number(goal - face(die)),
            trace=rows,
        )
    )


def miss(fight: Fight, action: Action, weapon: Built, attack: Judge) -> Generator[Step, Any, str]:
    """Miss. A fumble costs the weapon durability (1.7)."""
    if attack.code != "fumble":
        return "miss"
    if fight.options.fumble_durability:
        yield Change("fumble", target=action.actor, pool=weapon.pool, value=-fight.options.fumble_durability)
    return "critical-miss"


def defend(fight: Fight, action: Action, attack: Judge) -> Generator[Step, Any, str]:
    """Let the target roll a defence it owns, and compare margins. Gives hit, blocked or dodged."""
    choice = yield from choose_guard(fight, action.target, GUARDS, DEFENCE)
    if choice == NO_GUARD:
        return "hit"
    guard, defence = yield from defence_roll(fight, action, choice, DEFENCE)
    contest = yield from compare(fight, action, attack, defence, guard.code)
    return "hit" if contest.code == "hit" else GUARDS[guard.code].stops


def choose_guard(
    fight: Fight, target: str, guards: Mapping[str, Guard], check: Check
) -> Generator[Step, Any, str]:
    """Ask for a defence among those owned, each with the number it is rolled against.

    Who owns none of `guards` is not asked; who left meanwhile does not defend.
    """
    skills = fight.sheet(target).skills
    options: list[Option] = []
    for code, guard in guards.items():
        rank = getattr(skills, guard.skill)
        if rank is not None:
            value, rows = derived((Row(guard.skill, rank, SHEET),), check)
            options.append(Option(code=code, value=number(value), trace=rows))
    if not options:
        return NO_GUARD
    answer: str | None = yield from Ask("defence", who=(target,), options=(*options, Option(code=NO_GUARD)))
    return answer or NO_GUARD


def defence_roll(
    fight: Fight, action: Action, choice: str, check: Check
) -> Generator[Step, Any, tuple[Defend, Judge]]:
    """Roll the defence chosen. It must be a success itself; its 1 or 10 is no more than that (I 0.7)."""
    target = action.target
    skill = GUARDS[choice].skill
    rank: int = getattr(fight.sheet(target).skills, skill)
    rows = (Row(skill, rank, SHEET), *action.rows("defence.skill", of=action.target))
    value, rows = derived(rows, check)
    guard = yield from Defend("defence", who=target, code=choice, value=number(value), trace=rows)
    goal = given(guard.value)
    die = yield from Roll("defence", by=target, plan=D10)
    verdict = yield from Judge(
        "defence",
        by=target,
        code=outcome(face(die), goal),
        goal=number(goal),
        margin=number(goal - face(die)),
        trace=guard.trace,
    )
    return guard, verdict


def compare(
    fight: Fight, action: Action, attack: Judge, defence: Judge, guard: str
) -> Generator[Step, Any, Judge]:
    """Compare margins: the larger wins, a failed defence loses whatever the numbers say. Gives hit or defended.

    On a tie both roll again against the same skills, until the margins differ; these dice are never critical (I 0.5).
    """
    options = fight.options
    margin, reply = given(attack.margin), given(defence.margin)
    is_won = defence.code not in SUCCEEDED or (options.crit_auto_hit and attack.code == "critical")
    code = "hit" if is_won else by_margin(margin - reply, options.tie)
    contest = yield from contest_step(action, attack, guard, margin, reply, code)
    while contest.code == "tie":
        mine = yield from Roll("tiebreak", by=action.actor, plan=D10)
        theirs = yield from Roll("tiebreak", by=action.target, plan=D10)
        margin, reply = given(attack.goal) - face(mine), given(defence.goal) - face(theirs)
        code = by_margin(margin - reply, options.tie)
        contest = yield from contest_step(action, attack, guard, margin, reply, code)
    return contest


def by_margin(lead: Exact, tie: str) -> str:
    """Say what the attacker's lead over the defender means."""
    if lead == 0:
        return ON_TIE[tie]
    return "hit" if lead > 0 else "defended"


def contest_step(action: Action, attack: Judge, guard: str, margin: Exact, reply: Exact, code: str) -> Judge:
    """Make the verdict on both margins: the goal is the defender's, the margin the attacker's lead.

    What follows it depends on no roll before it, but on whether the attack was critical and on the guard: `renews`.
    """
    return Judge(
        "contest",
        by=action.actor,
        against=action.target,
        code=code,
        goal=number(reply),
        margin=number(margin - reply),
        trace=(Row(f"{guard}-margin", number(reply), RULE),),
        renews=f"{code}-{attack.code}-{guard}",
    )


def hit(fight: Fight, action: Action, weapon: Built, attack: Judge, location: str) -> Steps:
    """Wound a location."""
    params: StrikeParams = action.params
    target = action.target
    entry = weapon.damage[params.type]
    assert entry is not None, "a type that is N/A is refused"
    rolled = yield from Roll("damage", by=action.actor, plan=dice(entry.n, entry.sides))
    dealt = part(
        fight, action, weapon, params.type, location, face(rolled), is_critical=attack.code == "critical"
    )
    wound = yield from ApplyDamage(
        "damage",
        target=target,
        pools=(location,),
        value=dealt.value,
        type=params.type,
        roll=slot(rolled),
        parts=(dealt,),
    )
    for struck in wound.pools:  # as it was recorded, after every house rule
        yield from worsen(fight, target, struck)


def find_location(fight: Fight, action: Action) -> Generator[Step, Any, str]:
    """Find the location: the one aimed at, or what the die of the target's body says, where 1 is its first."""
    params: StrikeParams = action.params
    if params.aim is not None:
        return params.aim
    body = SPECIES[fight.sheet(action.target).species]
    die = yield from Roll("location", by=action.actor, plan=dice(1, body.sides))
    location, _ = body.locations[int(face(die)) - 1]
    return location


def end_of_volley(fight: Fight, action: Action, result: str) -> Steps:
    """End the turn where the strike does: after a block, or when no weapon owned can be paid any more.

    The block is the reason when both are true (NY68). An opening is one strike long.
    """
    me = action.actor
    if fight.state.turn != me:
        return
    left = fight.pool(me, DELAY)
    if is_opening(fight):
        yield EndTurn("opening", who=me)
    elif result in ENDS_TURN:
        if left:
            yield Change("forfeit", target=me, pool=DELAY, value=number(-left))
        yield EndTurn(result, who=me)
    elif all(weapon.delay is None or weapon.delay > left for weapon in fight.sheet(me).arms):
        yield EndTurn("delay-spent", who=me)
