"""How a target meets an attack: its awareness, the DEF or MDF that counts, the pool that absorbs (primer.md, 1.3, 1.8, part 4, step 6).

There is no roll of a defence. The awareness decides two things: whether DEF or MDF counts, which it does only for who is aware and
defending (P-93), and how much of PAB or MAB is left.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from affray.kernel import Action, Ask, Defend, Exact, Fight, Option, Row, Step, exact, number

from .chance import defends
from .clock import SPENT
from .figures import value_rows
from .harm import pool_factor, pool_left
from .options import PrimerOptions
from .pack import Against
from .places import ABSORPTION, DEFENCE, sound_rows
from .rows import HERE, RULE, points, rows_of
from .sheet import Sheet
from .states import can_act
from .tables import AWARENESS, AbsorbPool, Awareness

HELPLESS_AWARENESS: Awareness = "unaware"
"""How whoever cannot act meets an attack: nobody asks ([ours], the page says nothing of a blow against the unconscious)."""

ANSWERS: dict[str, Awareness] = {str(name): name for name in AWARENESS}
"""Awareness by the code of an answer."""


def declare_defence(fight: Fight, action: Action, against: Against) -> Generator[Step, Any, tuple[Awareness, Exact]]:
    """Ask the target how it meets the attack. Gives its awareness, and what that takes off the attacker's chance.

    Whoever left while it was asked is unaware. A state takes nothing off DEF or MDF; who should count as undefending while stunned
    says so (P-71).
    """
    who = action.target
    rows = opponent_rows(fight, action, against)
    stance: Awareness = HELPLESS_AWARENESS
    if can_act(fight, who):
        options = [
            Option(code=name, value=number(points(rows)) if defends(name) else 0, trace=rows if defends(name) else ())
            for name in AWARENESS
        ]
        answer: str | None = yield from Ask("defence", who=(who,), options=tuple(options))
        stance = ANSWERS.get(answer or "", HELPLESS_AWARENESS)
    shown = rows if defends(stance) else ()
    key = "defence" if against == "none" else against
    guard = yield from Defend(
        key, who=who, code=stance, value=number(points(shown)), trace=shown, against=action.actor
    )
    return stance, exact(guard.value or 0)


def opponent_rows(fight: Fight, action: Action, against: Against) -> tuple[Row, ...]:
    """Explain the DEF or MDF of the target; nothing against what no defence counts."""
    if against == "none":
        return ()
    sheet: Sheet = fight.sheet(action.target)
    value = value_rows(sheet, "DEF") if against == "DEF" else value_rows(sheet, "MDF")
    return (*value, *sound_rows(action, DEFENCE, of=action.target))


def absorption(fight: Fight, action: Action, pool: AbsorbPool, stance: Awareness) -> Generator[Step, Any, Exact]:
    """Work out the points of a pool that stand against a hit, after the awareness factor (P-47, P-48)."""
    who = action.target
    options: PrimerOptions = fight.options
    sheet: Sheet = fight.sheet(who)
    rows = (*value_rows(sheet, pool), *sound_rows(action, ABSORPTION, of=who))
    full = max(points(rows), 0)
    used = spent(fight, who, pool)
    left = pool_left(full, used, used, options)
    available = left * pool_factor(stance, options)
    rows += rows_of(RULE, ("nothing-below", full - points(rows)))
    rows += rows_of(HERE, ("spent", left - full), (stance, available - left))
    step = yield from Defend(
        "absorption", who=who, code=pool, value=number(available), trace=rows, against=action.actor
    )
    return max(exact(step.value or 0), 0)


def spent(fight: Fight, who: str, pool: AbsorbPool) -> Exact:
    """Give the points of a pool that are used up, 0 where each hit meets the full pool."""
    held = fight.conditions(who).get(SPENT[pool])
    return 0 if held is None or held.value is None else max(exact(held.value), 0)
