"""The defender's part of an attack: declare a defence (step 2), have it computed (step 5), add to it after the roll (step 6).

(exalted.md, 3.1.) Every answer on offer tells the Defense Value it would mean, with its trace.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

from affray.kernel import Action, Ask, Change, Defend, Fight, Option, Row, Step, Steps

from .charms import Charm
from .defense_value import Value, defense_value
from .dice_pools import successes, throw
from .health import is_down
from .rows import HERE, SHEET
from .sheet import CHANNELS, MOTES, WILLPOWER, Sheet
from .situation import Stance, inputs, is_veiled, stunt_dice, virtue_dice

READY = "ready"
STAND = "stand"
CHARM = "charm-"
CHANNEL = "channel-"
SPEND_WILLPOWER = "willpower"

CHANNEL_COST = 1
"""Willpower that channelling a Virtue costs, as does Willpower in its place ([own])."""


def value_of(fight: Fight, action: Action, stance: Stance) -> Value:
    """Work out what a stance is worth against this attack, as things stand."""
    return defense_value(inputs(fight, action, stance), fight.options)


def preview(fight: Fight, action: Action, stance: Stance) -> Value:
    """Work out what the defender is told of a stance: its value, where the attacker is secret what it knows of it.

    A question is read by whoever it is put to, and by everybody where the defender is no secret. So nothing that a secret attacker
    brings goes into it; the recorded `defend` has it all, and is kept.
    """
    return defense_value(inputs(fight, action, stance, own=is_veiled(fight, action)), fight.options)


def stances(fight: Fight, action: Action) -> list[Stance]:
    """List the defences that the target has: a dodge, and a parry with each weapon that can.

    Which counts is the player's choice, they never add; the higher value is suggested, that is first, of equals the
    parry (ambiguity 22).
    """
    sheet: Sheet = fight.sheet(action.target)
    found = [Stance("parry", weapon.key) for weapon in sheet.weapons if weapon.defense is not None]
    return sorted([*found, Stance("dodge")], key=lambda stance: -preview(fight, action, stance).dv)  # ties: listed first


def option(fight: Fight, action: Action, code: str, stance: Stance) -> Option:
    """Make an answer that tells what it means."""
    value = preview(fight, action, stance)
    return Option(code=code, value=value.dv, trace=value.trace)


# -- step 2


def declare_defence(fight: Fight, action: Action) -> Generator[Step, Any, Stance]:
    """Choose a defence, then what supports it: charms, a Virtue or Willpower. Who is down or left is not asked."""
    found = stances(fight, action)
    chosen = found[0]
    if len(found) > 1 and can_choose(fight, action.target):
        options = tuple([option(fight, action, stance.code, stance) for stance in found])
        answer: str | None = yield from Ask("defence", who=(action.target,), options=options)
        chosen = next((stance for stance in found if stance.code == answer), chosen)
    return (yield from support(fight, action, chosen, "support", "defence", READY))


def can_choose(fight: Fight, who: str) -> bool:
    """Tell whether somebody is there and able to choose."""
    return who in fight.ids and not is_down(fight, who)


def support(
    fight: Fight, action: Action, stance: Stance, key: str, use: str, enough: str
) -> Generator[Step, Any, Stance]:
    """Let the defender add one thing after the other, paying for each, until that is enough."""
    who = action.target
    while can_choose(fight, who) and (ways := dict(supports(fight, who, stance, use))):
        options = [option(fight, action, code, after) for code, after in ways.items()]
        stay = option(fight, action, enough, stance)
        answer: str | None = yield from Ask(key, who=(who,), options=(stay, *options))
        after = ways.get(answer or enough)
        if after is None:
            break
        yield from pay_for(fight, who, stance, after)
        stance = after
    return stance


def supports(fight: Fight, who: str, stance: Stance, use: str) -> Iterator[tuple[str, Stance]]:
    """List what the defender could add and pay for. Virtue and Willpower exclude each other (ambiguity 3)."""
    sheet: Sheet = fight.sheet(who)
    for charm in sheet.charms:
        if charm.use == use and is_open(fight, who, stance, charm):
            yield CHARM + charm.key, stance._replace(charms=(*stance.charms, charm.key))
    if use != "defence" or stance.virtue or stance.willpower or fight.options.virtue_mode == "none":
        return
    if fight.pool(who, WILLPOWER) >= CHANNEL_COST:
        for virtue in sorted(sheet.virtues):
            if fight.pool(who, CHANNELS + virtue) >= 1:
                yield CHANNEL + virtue, stance._replace(virtue=virtue)
        yield SPEND_WILLPOWER, stance._replace(willpower=True)


def is_open(fight: Fight, who: str, stance: Stance, charm: Charm) -> bool:
    """Tell whether a charm can be added to this defence. One that sets the value needs the option (ambiguity 18)."""
    is_left = stance.charms.count(charm.key) < charm.times
    is_allowed = fight.options.set_charms or not charm.sets
    return is_left and is_allowed and charm.helps(stance.guard) and can_pay(fight, who, charm)


def can_pay(fight: Fight, who: str, *charms: Charm) -> bool:
    """Tell whether somebody has the motes and the Willpower for all of these."""
    return (
        sum(charm.motes for charm in charms) <= fight.pool(who, MOTES)
        and sum(charm.willpower for charm in charms) <= fight.pool(who, WILLPOWER)
    )


def pay(who: str, charm: Charm) -> Steps:
    """Pay for a charm."""
    for pool, cost in ((MOTES, charm.motes), (WILLPOWER, charm.willpower)):
        if cost:
            yield Change("charm-cost", target=who, pool=pool, value=-cost)


def pay_for(fight: Fight, who: str, before: Stance, after: Stance) -> Steps:
    """Pay for what was just added."""
    sheet: Sheet = fight.sheet(who)
    for key in after.charms[len(before.charms) :]:
        charm = sheet.charm(key)
        assert charm is not None, "only owned charms are offered"
        yield from pay(who, charm)
    if after.virtue != before.virtue:
        yield Change("channel", target=who, pool=CHANNELS + after.virtue, value=-1)
    if (after.virtue, after.willpower) != (before.virtue, before.willpower):
        yield Change("channel", target=who, pool=WILLPOWER, value=-CHANNEL_COST)


# -- steps 5 and 6


def settle_value(fight: Fight, action: Action, stance: Stance) -> Generator[Step, Any, tuple[Stance, Defend]]:
    """Roll what is rolled on a defence, then compute the Defense Value with every step in its trace."""
    stance = yield from defence_dice(fight, action, stance)
    value = value_of(fight, action, stance)
    step = yield from Defend(
        "defence", who=action.target, code=stance.code, value=value.dv, trace=value.trace, against=action.actor
    )
    return stance, step


def defence_dice(fight: Fight, action: Action, stance: Stance) -> Generator[Step, Any, Stance]:
    """Roll First Excellency dice, each success +1 (ambiguity 20), and stunts and Virtues where an option rolls them."""
    who = action.target
    sheet: Sheet = fight.sheet(who)
    for key in dict.fromkeys(stance.charms):
        charm = sheet.charm(key)
        dice = charm.dice * stance.charms.count(key) if charm is not None else 0
        dice -= sum(dice for thrown, dice, _ in stance.thrown if thrown == key)
        if dice > 0:
            roll = yield from throw(fight, "excellency", who, [Row(key, dice, SHEET)])
            stance = stance._replace(thrown=(*stance.thrown, (key, dice, successes(roll))))
    dice = stunt_dice(fight, action)
    if dice and fight.options.stunt_mode == "rolled" and stance.stunt_successes is None:
        roll = yield from throw(fight, "stunt", who, [Row("stunt", dice, HERE)])
        stance = stance._replace(stunt_successes=successes(roll))
    dice = virtue_dice(sheet, stance)
    if dice and fight.options.virtue_mode == "rolled" and stance.virtue_successes is None:
        roll = yield from throw(fight, "virtue", who, [Row(stance.virtue, dice, SHEET)])
        stance = stance._replace(virtue_successes=successes(roll))
    return stance


def after_roll(fight: Fight, action: Action, stance: Stance) -> Generator[Step, Any, tuple[Stance, Defend] | None]:
    """Let the defender use charms after the roll; the value is computed once more then, and not again (ambiguity 23)."""
    more = yield from support(fight, action, stance, "after-roll", "after-roll", STAND)
    if more.charms == stance.charms:
        return None
    return (yield from settle_value(fight, action, more))
