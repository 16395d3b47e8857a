"""The exact odds of the Nyra vectors (rules/nyra.md, 1.9), by playing every die of one strike on the kernel alone.

Nothing is sampled and nothing worked out beside the rules: each attack die meets each defence die, and a tie each pair of
further dice. Ties that renew the same future are played through once; dice that tie again renew it, so they drop out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product

from affray.kernel import Done, Judge

from .nyra_log import Record, code
from .nyra_tables import DUELIST, KernelDriver

FACES = range(1, 11)

AFTER = (1, 2, 1, 1, 1, 1, 1, 1)
"""Faces for whatever else a strike rolls: further ties, a location, three dice of damage. Not all have to be used."""

ENDS = {"miss": "miss", "critical-miss": "miss", "hit": "hit", "blocked": "defended", "dodged": "defended"}
"""Outcome of a strike -> what the odds call it."""

Odds = dict[str, Fraction]


def odds(row: Record) -> dict[str, str]:
    """How likely a strike hits, is defended and misses: exact fractions in lowest terms, as text."""
    return {name: str(chance) for name, chance in mixed(first_dice(row)).items()}


def first_dice(row: Record) -> Iterator[Odds]:
    """What becomes of each pair of an attack die and a defence die; all pairs are equally likely."""
    ties: dict[str, Odds] = {}
    for pair in product(FACES, FACES):
        ended, renews = strike(row, pair)
        if renews and renews not in ties:
            ties[renews] = mixed(further_dice(row, pair))
        yield ties[renews] if renews else {ended: Fraction(1)}


def further_dice(row: Record, pair: tuple[int, int]) -> Iterator[Odds]:
    """What becomes of each pair of dice after a tie, but for those that tie again."""
    for again in product(FACES, FACES):
        ended, renews = strike(row, (*pair, *again))
        if not renews:
            yield {ended: Fraction(1)}


def mixed(cases: Iterable[Odds]) -> Odds:
    """The odds of cases that are equally likely."""
    listed = list(cases)
    weights: Odds = {}
    for case in listed:
        for name, chance in case.items():
            weights[name] = weights.get(name, Fraction(0)) + chance
    return {name: weight / len(listed) for name, weight in weights.items()}


def strike(row: Record, dice: tuple[int, ...]) -> tuple[str, str]:
    """How a strike with these dice ends, or "" and what the tie renews that they end in."""
    driver = KernelDriver()
    driver.start({"tie": row["tie"]}, (*dice, *AFTER))
    sword = {"key": "sword", "base": "short-sword"}
    attacker = {**DUELIST, "sequence": 2, "skills": {"Swords": row["attack_skill"]}, "weapons": [sword]}
    defender = {**DUELIST, "skills": {"Defense": row["defence_skill"]}}
    driver.join("attacker", name="Attacker", side="red", sheet=attacker, pools={})
    driver.join("defender", name="Defender", side="blue", sheet=defender, pools={})
    driver.begin()
    aim = code("Head") if row["strike"] == "aimed" else None
    params = {"weapon": "sword", "strike": row["strike"], "type": "C", "aim": aim}
    assert driver.declare("attacker", "strike", ("defender",), params) is None
    for slot in driver.state.prompts:
        driver.answer(slot, "defender", "defense")
    ties = [event.renews for event in driver.events if type(event) is Judge and event.code == "tie"]
    settled = len(dice) // 2 - 1
    if len(ties) > settled:
        return "", ties[settled]
    return next(ENDS[event.code] for event in driver.events if type(event) is Done and event.code in ENDS), ""
