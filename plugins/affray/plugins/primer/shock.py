"""System shock: when it is rolled, what it brings, and for how long; healing and crippling (primer.md, 1.9 and 1.10, L365-369, L504-546).

A pool is counted as taken: the damage in HTK (physical) or POW (mental) so far, of its maximum. The save SYS itself is in
`derived.py`. Both saves of one wound are rolled before either applies; that order is the resolver's.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import NamedTuple

import msgspec

from affray.kernel import Exact, InputError

from .bounds import ROLLS_MAX, entry, one_of, whole, within
from .chance import success_level
from .options import PrimerOptions
from .tables import COUNTS_IN, D100, DRIVE_COUNTS, STATES, StateName, Unit

QUARTERS = 4
"""Parts of a pool whose lines call for a roll (1.9, L508)."""

REVIVAL_MOD = -60
"""On the one more roll of a dead character whose soul is here, beside wounds and exhaustion (1.9, L538, P-67).

Its new final SL, with the usual penalty, replaces the old one."""

HEALING_LATER = 10
"""On every healing roll after the first: once, and whatever the first one did (1.13, L666, P-94)."""

AREA_DIVISOR = 2
"""An area that has taken more than its HTK over this may be crippled (1.10, L369, P-70)."""

SOUL_DIVISOR = 5
SOUL_SIDES = 4
"""A soul leaves after (CON + DRV)/5 + d4 minutes (1.9, L534)."""

LASTING: tuple[StateName, ...] = ("dazed", "stunned", "2x-stunned", "unconscious", "comatose", "dead")
"""The states that last some time, from the mildest."""

RECOVERED: tuple[StateName, ...] = LASTING[:-1]
"""The states that give way to the next milder one."""

# -- the roll


def quarters(taken: Exact, maximum: Exact, options: PrimerOptions) -> int:
    """Give how many quarters of a pool are taken; there may be more than four.

    The first line is passed only by more than a quarter, or already at one (option `shock_first_breakpoint`, P-60); all others when
    they are reached. `maximum` is above 0.
    """
    if not within(maximum, "$.maximum", 0):
        raise InputError("must be above 0", path="$.maximum", value=maximum)
    share = Fraction(within(taken, "$.taken", 0)) * QUARTERS / maximum
    return 0 if share == 1 and options.shock_first_breakpoint == "strict" else floor(share)


def penalty(passed: int, options: PrimerOptions) -> int:
    """Give the SL that so many quarters cost, 0 or less: none for the first, one for each further (option `shock_penalty`, P-59)."""
    whole(passed, "$.passed", 0)
    return -passed if options.shock_penalty == "saves_section" else -max(passed - 1, 0)


class ShockCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a wound calls for a roll. `penalty` is that of `quarters_after`, also where no roll is due."""

    quarters_before: int
    quarters_after: int
    roll_needed: bool
    penalty: int


def shock_check(*, maximum: Exact, before: Exact, after: Exact, options: PrimerOptions) -> ShockCheck:
    """Ask whether a wound passed a line of the pool, by what was taken before and after it.

    However many lines one wound passes, there is one roll, at the worst penalty (P-61).
    """
    then, now = quarters(before, maximum, options), quarters(after, maximum, options)
    return ShockCheck(
        quarters_before=then, quarters_after=now, roll_needed=now > then, penalty=penalty(now, options)
    )


class ShockResult(msgspec.Struct, frozen=True, kw_only=True):
    """The chance that was rolled against, its level, the level after penalty and exertion, and the state this brings."""

    sc: Exact
    base_sl: int
    final_sl: int
    state: StateName


def shock_result(
    *,
    sys: Exact,
    roll: int,
    options: PrimerOptions,
    shock_penalty: int = 0,
    action_mods: Exact = 0,
    exertion: int = 0,
) -> ShockResult:
    """Read a d100 against SYS.

    `action_mods` are those of wounds, exhaustion and a state, and change the chance (L518); `shock_penalty` (`penalty`) and
    `exertion` change the level. Exertion (`tables.EXERTION`) counts for repeated rolls over time only, never for a wound's (P-62).
    """
    sc = within(sys, "$.sys") + within(action_mods, "$.action_mods")
    base = success_level(sc, roll, options)
    final = base + whole(shock_penalty, "$.shock_penalty", high=0) + whole(exertion, "$.exertion")
    return ShockResult(sc=sc, base_sl=base, final_sl=final, state=state_at(final))


def state_at(final_sl: int) -> StateName:
    """Give the state of a final SL: every level above 0 is the same (P-69), and every one below -4."""
    whole(final_sl, "$.final_sl")
    for name, row in STATES.items():
        if final_sl >= row.sl:
            return name
    return "dead"


def save_mods(save: str, mods: Exact, options: PrimerOptions) -> Exact:
    """Give what of the modifiers of states, wounds and exhaustion a save takes: all saves, or SYS alone (L518, P-92)."""
    return within(mods, "$.mods") if save == "SYS" or options.state_mods_on_saves == "all_saves" else 0


# -- how long


class Duration(NamedTuple):
    """How long a state lasts."""

    unit: Unit
    amount: Exact

    @property
    def counts(self) -> Exact:
        """The same in counts."""
        return self.amount * COUNTS_IN[self.unit]


def shock_duration(state: StateName, *, drv: Exact, con: Exact = 0, die: int = 0) -> Duration:
    """Give how long a state lasts (1.9, L520-534), never less than 0 (P-68).

    40 - DRV counts dazed, twice that stunned, four times twice stunned; d100 minutes unconscious, d100 hours comatose. Dead it is
    the time until the soul leaves: (CON + DRV)/5 + d4 minutes. `die` is the face of the d100 or d4, for the last three states;
    `con` is for the last alone. Raises InputError for `no-effect`, which does not last.
    """
    one_of(state, LASTING, "$.state")
    row = STATES[state]
    if row.drive:
        return Duration("counts", max(0, row.drive * (DRIVE_COUNTS - within(drv, "$.drv"))))
    if state == "dead":
        minutes = Fraction(within(con, "$.con") + within(drv, "$.drv")) / SOUL_DIVISOR
        return Duration(row.unit, max(Fraction(0), minutes + whole(die, "$.die", 1, SOUL_SIDES)))
    return Duration(row.unit, whole(die, "$.die", 1, D100))


class Stretch(NamedTuple):
    """A state and the counts it begins and ends at."""

    state: StateName
    start: Exact
    until: Exact


def cascade(state: StateName, *, start: Exact, duration: Duration) -> tuple[Stretch, ...]:
    """List the states of a recovery: each gives way to the next milder one, down to dazed.

    Every one lasts as long as the first did (L536, P-64). Raises InputError for `dead` and `no-effect`, from which nobody recovers.
    """
    one_of(state, RECOVERED, "$.state")
    within(start, "$.start")
    length = within(duration.counts, "$.duration", 0)
    path = RECOVERED[RECOVERED.index(state) :: -1]
    return tuple([Stretch(name, start + length * at, start + length * (at + 1)) for at, name in enumerate(path)])


# -- what a state does


class Standing(NamedTuple):
    """A state and the count at which it ends."""

    state: StateName
    until: Exact


def state_change(current: Standing, new: Standing) -> Standing:
    """Give the state that stands when a second one comes (P-65).

    The worse one, with its own end, even an earlier one; the same state starts anew; a milder one is ignored.
    """
    order = tuple(STATES)
    for path, one in (("$.current", current), ("$.new", new)):
        one_of(one.state, order, path)
    return current if order.index(new.state) < order.index(current.state) else new


def state_interrupts(state: StateName, options: PrimerOptions) -> bool:
    """Tell whether entering a state cancels a running action (P-66).

    Unconscious or worse always does. Stunned and twice stunned do under `stun_interrupts`; else, and dazed, the action goes on, with
    the action modifier of the state and its WDB at the count it resolves.
    """
    row = entry(STATES, state, "$.state")
    return not row.can_act or (options.stun_interrupts and state in ("stunned", "2x-stunned"))


# -- the other rolls of a wounded body


class Healed(NamedTuple):
    """A healing roll: the chance, the level, and whether the point heals."""

    sc: Exact
    sl: int
    is_healed: bool


def healing(*, hlth: Exact, rolls: Sequence[int], options: PrimerOptions) -> tuple[Healed, ...]:
    """Read the health rolls of points due, one d100 a point, in order (1.13, L666). A failure heals nothing."""
    if len(rolls) > ROLLS_MAX:
        raise InputError(f"at most {ROLLS_MAX} rolls are read together", path="$.rolls", value=len(rolls))
    found: list[Healed] = []
    for index, roll in enumerate(rolls):
        sc = within(hlth, "$.hlth") + (HEALING_LATER if index else 0)
        level = success_level(sc, roll, options)
        found.append(Healed(sc, level, level >= 1))
    return tuple(found)


def area_check(*, area_htk: Exact, area_taken: Exact) -> bool:
    """Tell whether an area calls for a health save: it has taken more than half of its HTK, all wounds together (P-70).

    An SL of 1 or more avoids the crippling, whose table is missing and is the table's to bring.
    """
    return within(area_taken, "$.area_taken", 0) > Fraction(within(area_htk, "$.area_htk", 0)) / AREA_DIVISOR
