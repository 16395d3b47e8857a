"""One attack, in the order of the book (exalted.md, 3.1).

    1 declare -> 2 declare a defence -> 3 roll -> 4 roll again -> 5 Defense Value -> 6 charms after the roll
    -> 7 raw damage -> 8 Hardness, soak, minimum -> 9 counterattack -> 10 roll damage, stun, knockdown

What a step says counts as it was recorded, after every house rule: the resolver reads `verdict.code`, never a copy.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

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
from .dice_pools import again, given, successes, throw
from .gear import Weapon
from .health import DEAD, is_down, wound_of
from .rows import HERE, SHEET, fitted, sound_rows
from .saves import knockdown, stun
from .sheet import MOTES, Sheet
from .situation import Stance, attack_charms, charm_rows, stunt_dice
from .timing import AIM_DICE_MAX, ATTACK, ATTACK_DV

HIT_FROM = 1
"""Successes that must remain: the difficulty of an attack, so that a tie misses (3.2)."""

STUNT_MOTES = 2
"""Motes that a stunt gives back for each of its dice (3.4, M). Willpower in their place is the game master's word."""


def attack(fight: Fight, action: Action) -> Steps:
    """Attack once. Outcomes: hit, bounced, missed, botched, no-target."""
    weapon = wielded(fight, action)
    yield from declare(fight, action, weapon)  # 1
    if action.target not in fight.ids or fight.has(action.target, DEAD):  # since it was declared
        yield from end_turn(fight, action)
        return "no-target"
    stance = yield from declare_defence(fight, action)  # 2
    swing = yield from roll_attack(fight, action, weapon)  # 3
    swing = yield from roll_again(fight, action, swing)  # 4
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


def roll_attack(fight: Fight, action: Action, weapon: Weapon) -> Generator[Step, Any, Roll]:
    """Roll Dexterity + Ability + specialty + Accuracy + stunt, less what takes dice."""
    rows = tuple(dice_rows(fight, action, weapon))
    if fight.has(action.actor, AIMING) and not action.params.counter:
        yield Condition("aimed", target=action.actor, id=AIMING, code="ended")
    return (yield from throw(fight, "attack", action.actor, rows))


def dice_rows(fight: Fight, action: Action, weapon: Weapon) -> Iterator[Row]:
    """List what makes the attack's dice. Wounds take dice here, as they take from a defence, and of no other pool."""
    attack: Attack = action.params
    yield from weapon_rows(fight.sheet(action.actor), weapon)
    yield Row("stunt", attack.stunt, HERE)
    yield Row("aim", aim_dice(fight, action), HERE)
    yield Row("wound", wound_of(fight, action.actor), HERE)
    yield from charm_rows(fight, action, "attack")
    yield from sound_rows(action, "attack.dice")
    yield from sound_rows(action, "dice")


def weapon_rows(sheet: Sheet, weapon: Weapon) -> Iterator[Row]:
    """List what a sheet gives to attacks with a weapon."""
    yield Row("dexterity", sheet.dexterity, SHEET)
    yield Row(weapon.ability, sheet.ability(weapon.ability), SHEET)
    yield Row("specialty", sheet.specialty(weapon.ability), SHEET)
    yield Row("accuracy", weapon.accuracy, SHEET)


def aim_dice(fight: Fight, action: Action) -> int:
    """Give the dice of having aimed at this target: one a tick, 3 at most (3.3)."""
    held = fight.conditions(action.actor).get(AIMING)
    if held is None or held.source != action.target:
        return 0
    return int(min(max(tick(fight) - held_value(fight, action.actor, AIMING), 0), AIM_DICE_MAX))


def roll_again(fight: Fight, action: Action, swing: Roll) -> Generator[Step, Any, Roll]:
    """Let the attacker throw all dice once more by a charm. No die a third time; the better result stands (3.1 step 4)."""
    me = action.actor
    charms = usable(fight, me, "reroll")
    if not charms or not can_choose(fight, me):
        return swing
    options = (Option(code=STAND, value=successes(swing)), *[Option(code=CHARM + charm.key) for charm in charms])
    answer: str | None = yield from Ask("reroll", who=(me,), options=options)
    charm = next((one for one in charms if CHARM + one.key == answer), None)
    if charm is None:
        return swing
    yield from pay(me, charm)
    other = yield from again("attack-reroll", swing)
    return max(swing, other, key=lambda roll: (successes(roll), not roll.botch))


def usable(fight: Fight, who: str, use: str) -> list[Charm]:
    """List somebody's charms of a use that can be paid."""
    sheet: Sheet = fight.sheet(who)
    return [charm for charm in sheet.charms if charm.use == use and can_pay(fight, who, charm)]


# -- 5 and 6


def judge(action: Action, swing: Roll, guard: Defend) -> Generator[Step, Any, Judge]:
    """Take external penalties, then the Defense Value off the successes: hit, miss or botch. The margin is what remains."""
    rows = [Row("defense-value", guard.value or 0, "defence")]
    gained = (*sound_rows(action, "attack.successes"), *charm_rows(action.fight, action, "successes"))
    rows += fitted([Row(row.code, number(-exact(row.amount)), row.source) for row in gained])
    goal = total(row.amount for row in rows)
    net = successes(swing) - goal
    code = "hit" if net >= HIT_FROM else "botch" if swing.botch else "miss"
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


def after(
    fight: Fight, action: Action, stance: Stance, swing: Roll, verdict: Judge
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
    """Give back motes for the stunts of both sides."""
    for who, dice in ((action.actor, action.params.stunt), (action.target, stunt_dice(fight, action))):
        if dice and can_choose(fight, who) and fight.sheet(who).motes:
            yield Change("stunt-reward", target=who, pool=MOTES, value=STUNT_MOTES * dice)
