"""One attack, in the order of the book (exalted.md, 3.1).

    1 declare -> 2 declare a defence -> 3 roll -> 4 roll again -> 5 Defense Value -> 6 charms after the roll
    -> 7 raw damage -> 8 Hardness, soak, minimum -> 9 counterattack -> 10 roll damage, stun, knockdown

What a step says counts as it was recorded, after every house rule: the resolver reads `verdict.code`, never a copy.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

from affray.kernel import (
    Act,
    Action,
    Ask,
    Change,
    Condition,
    Defend,
    Fight,
    Judge,
    Option,
    Roll,
    Row,
    Step,
    Steps,
    exact,
    number,
    total,
)

from .actions import Attack
from .charms import Charm
from .clock import AIMING, end_turn, held_value, spend_time, tick
from .damage import damage_pool, harm, raw_of
from .defence import CHARM, STAND, after_roll, can_choose, can_pay, declare_defence, pay, settle_value
from .defense_value import HERE, SHEET
from .dice_pools import given, plan, successes
from .gear import Weapon
from .health import DEAD, is_down, wound_of
from .rows import sound_rows
from .saves import knockdown, stun
from .sheet import MOTES, Sheet
from .situation import Stance, attack_charms
from .timing import AIM_DICE_MAX, ATTACK, ATTACK_DV

HIT_FROM = 1
"""Successes that must remain: the difficulty of an attack, so that a tie misses (3.2)."""

STUNT_MOTES = 2
"""Motes that a stunt gives back for each of its dice (3.4, M). Willpower in their place is the game master's word."""


class Swing(NamedTuple):
    """The attack roll that stands."""

    successes: int
    is_botch: bool


def attack(fight: Fight, action: Action) -> Steps:
    """Attack once. Outcomes: hit, bounced, missed, botched, no-target."""
    weapon = wielded(fight, action)
    yield from declare(fight, action, weapon)  # 1
    if action.target not in fight.ids or fight.has(action.target, DEAD):  # since it was declared
        yield from end_turn(fight, action)
        return "no-target"
    stance = yield from declare_defence(fight, action)  # 2
    pool = yield from attack_pool(fight, action, weapon)
    swing = yield from throw(fight, action, "attack", pool)  # 3
    swing = yield from roll_again(fight, action, pool, swing)  # 4
    stance, guard = yield from settle_value(fight, action, stance)  # 5
    verdict = yield from judge(action, swing, guard)
    verdict = yield from after(fight, action, stance, swing, verdict)  # 6
    outcome = yield from consequences(fight, action, weapon, verdict)  # 7 to 10
    yield from reward(fight, action)
    yield from end_turn(fight, action)
    return outcome


def wielded(fight: Fight, action: Action) -> Weapon:
    """Give the weapon that is named."""
    sheet: Sheet = fight.sheet(action.actor)
    weapon = sheet.weapon(action.params.weapon)
    assert weapon is not None, "an unknown weapon is refused"
    return weapon


# -- 1


def declare(fight: Fight, action: Action, weapon: Weapon) -> Steps:
    """Pay for charms, and for the time of an attack of one's own turn: in a flurry or as an answer it takes none."""
    for charm in attack_charms(fight, action):
        yield from pay(action.actor, charm)
    if not action.is_nested:
        yield from spend_time(fight, action, weapon.speed, ATTACK_DV)


# -- 3 and 4


def attack_pool(fight: Fight, action: Action, weapon: Weapon) -> Generator[Step, Any, Judge]:
    """Add up Dexterity + Ability + specialty + Accuracy + stunt, less what takes dice: the goal is the number of dice.

    A roll has no place for where its dice come from, so a verdict before it has.
    """
    rows = tuple(dice_rows(fight, action, weapon))
    if fight.has(action.actor, AIMING) and not action.params.counter:
        yield Condition("aimed", target=action.actor, id=AIMING, code="ended")
    dice = number(total(row.amount for row in rows))
    return (yield from Judge("attack-pool", by=action.actor, code="dice", goal=dice, trace=rows))


def dice_rows(fight: Fight, action: Action, weapon: Weapon) -> Iterator[Row]:
    """List what makes the attack's dice. Wounds take dice, as they take from a defence."""
    sheet: Sheet = fight.sheet(action.actor)
    attack: Attack = action.params
    for code, dice, source in (
        ("dexterity", sheet.dexterity, SHEET),
        (weapon.ability, sheet.ability(weapon.ability), SHEET),
        ("specialty", sheet.specialty(weapon.ability), SHEET),
        ("accuracy", weapon.accuracy, SHEET),
        ("stunt", attack.stunt, HERE),
        ("aim", aim_dice(fight, action), HERE),
        ("wound", wound_of(fight, action.actor), HERE),
    ):
        if dice:
            yield Row(code, dice, source)
    for charm in attack_charms(fight, action):
        for effect in charm.effects:
            if effect.on == "attack":
                yield Row(charm.key, effect.value, SHEET)
    yield from sound_rows(action, "attack.dice")
    yield from sound_rows(action, "dice")


def aim_dice(fight: Fight, action: Action) -> int:
    """Give the dice of having aimed at this target: one a tick, 3 at most (3.3)."""
    held = fight.conditions(action.actor).get(AIMING)
    if held is None or held.source != action.target:
        return 0
    return int(min(max(tick(fight) - held_value(fight, action.actor, AIMING), 0), AIM_DICE_MAX))


def throw(fight: Fight, action: Action, key: str, pool: Judge) -> Generator[Step, Any, Swing]:
    """Throw the attack's dice. An extra does not double 10s (3.2)."""
    sheet: Sheet = fight.sheet(action.actor)
    roll = yield from Roll(key, by=action.actor, plan=plan(given(pool.goal), doubles=not sheet.is_extra))
    return Swing(successes(roll), bool(roll.botch))


def roll_again(fight: Fight, action: Action, pool: Judge, swing: Swing) -> Generator[Step, Any, Swing]:
    """Let the attacker throw all dice once more by a charm. No die a third time; the better result stands (3.1 step 4)."""
    me = action.actor
    charms = usable(fight, me, "reroll")
    if not charms or not can_choose(fight, me):
        return swing
    options = (Option(code=STAND, value=swing.successes), *[Option(code=CHARM + charm.key) for charm in charms])
    answer: str | None = yield from Ask("reroll", who=(me,), options=options)
    charm = next((one for one in charms if CHARM + one.key == answer), None)
    if charm is None:
        return swing
    yield from pay(me, charm)
    again = yield from throw(fight, action, "attack-reroll", pool)
    return max(swing, again, key=lambda one: (one.successes, not one.is_botch))


def usable(fight: Fight, who: str, use: str) -> list[Charm]:
    """List somebody's charms of a use that can be paid."""
    sheet: Sheet = fight.sheet(who)
    return [charm for charm in sheet.charms if charm.use == use and can_pay(fight, who, charm)]


# -- 5 and 6


def judge(action: Action, swing: Swing, guard: Defend) -> Generator[Step, Any, Judge]:
    """Take external penalties, then the Defense Value off the successes: hit, miss or botch. The margin is what remains."""
    rows = [Row("defense-value", guard.value or 0, "defence")]
    rows += [Row(row.code, number(-exact(row.amount)), row.source) for row in sound_rows(action, "attack.successes")]
    rows += [Row(key, number(-exact(amount)), SHEET) for key, amount in charm_successes(action)]
    goal = total(row.amount for row in rows)
    net = swing.successes - goal
    code = "hit" if net >= HIT_FROM else "botch" if swing.is_botch else "miss"
    return (
        yield from Judge(
            "attack",
            by=action.actor,
            against=action.target,
            code=code,
            goal=number(goal),
            margin=number(net),
            trace=tuple(rows),
        )
    )


def charm_successes(action: Action) -> Iterator[tuple[str, int | str]]:
    """List what the attack's charms add to or take off its successes."""
    for charm in attack_charms(action.fight, action):
        for effect in charm.effects:
            if effect.on == "successes":
                yield charm.key, effect.value


def after(
    fight: Fight, action: Action, stance: Stance, swing: Swing, verdict: Judge
) -> Generator[Step, Any, Judge]:
    """Let charms be used against a blow that would hit; then the value and the verdict are made a second time."""
    if verdict.code != "hit":
        return verdict
    changed = yield from after_roll(fight, action, stance)
    if changed is None:
        return verdict
    return (yield from judge(action, swing, changed[1]))


# -- 7 to 10


def consequences(fight: Fight, action: Action, weapon: Weapon, verdict: Judge) -> Generator[Step, Any, str]:
    """Work out the damage of a hit, let the target strike back, then roll it."""
    if verdict.code != "hit":
        yield from strike_back(fight, action)
        return "botched" if verdict.code == "botch" else "missed"
    judged = yield from damage_pool(fight, action, weapon, given(verdict.margin))
    yield from strike_back(fight, action)
    if judged.code == "bounced":
        return "bounced"
    if action.target not in fight.ids or fight.has(action.target, DEAD):
        return "no-target"
    levels = yield from harm(fight, action, weapon, judged)
    if not is_down(fight, action.target):
        yield from stun(fight, action, levels)
        yield from knockdown(fight, action, raw_of(fight, action, weapon, judged))
    return "hit"


def strike_back(fight: Fight, action: Action) -> Steps:
    """Offer the target a counterattack, hit or missed: a whole attack without a step 9 of its own (3.1 step 9).

    Its damage is rolled when it ends, before the damage of the attack it answers, which comes all the same.
    """
    who, foe = action.target, action.actor
    if action.params.counter or not can_choose(fight, who) or foe not in fight.ids or fight.has(foe, DEAD):
        return
    sheet: Sheet = fight.sheet(who)
    ways = {
        f"{CHARM}{charm.key}/{weapon.key}": (charm, weapon)
        for charm in usable(fight, who, "counterattack")
        for weapon in sheet.weapons
    }
    if not ways:
        return
    answer: str | None = yield from Ask(
        "counterattack", who=(who,), options=tuple([Option(code=code) for code in (STAND, *ways)])
    )
    if answer in ways:
        charm, weapon = ways[answer]
        yield from pay(who, charm)
        params = {"weapon": weapon.key, "counter": True}
        yield from Act("counterattack", actor=who, name=ATTACK, targets=(foe,), params=params)


def reward(fight: Fight, action: Action) -> Steps:
    """Give back motes for the attacker's stunt."""
    me, dice = action.actor, action.params.stunt
    if dice and not is_down(fight, me) and me in fight.ids and fight.sheet(me).motes:
        yield Change("stunt-reward", target=me, pool=MOTES, value=STUNT_MOTES * dice)
