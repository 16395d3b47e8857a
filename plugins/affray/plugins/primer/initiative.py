"""Initiative: speed, INIT, ACT, and the count of a declaration (primer.md, 1.6, L223-287).

    SPD      = (DSC + AGL or INT - 20)/2 + PSM + PLF or MLF/3 + TLF/20
    INIT_MOD = SPD/2 + LVF/10 + (RANK - 2)/2 + MODS + SECMODS
    INIT     = 2d6 - INIT_MOD + state                             sooner is less
    ACT      = SPD/2 + LVF/10 + (RANK - 2)/2 + what INIT is below 0

One initiative is rolled for every action, from the count at which the one before ended (P-26).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import msgspec

from affray.kernel import Exact, InputError, Row

from .bounds import stated, whole, within
from .options import PrimerOptions
from .ranks import rank_speed, secondaries
from .rounding import rounded
from .rows import ROLL, RULE, SHEET, negated, points, rows_of

Kind = Literal["physical", "mental"]
"""What a skill is, and so whose speed it takes."""

AVERAGE = 20
"""What two average stats add up to (1.6, L257)."""

DICE = 2
SIDES = 6
"""INIT is rolled with 2d6 (L235)."""


def speed_rows(
    kind: Kind, *, dsc: Exact, other: Exact, psm: Exact, factor: Exact, tlf: Exact
) -> tuple[Row, ...]:
    """Explain a speed. `other` is AGL for a physical and INT for a mental one, `factor` PLF or MLF.

    The physical speed modifier PSM is in both, as printed (P-23): -5 for humans and most, -3 for elves.
    """
    stat, name = ("AGL", "PLF") if kind == "physical" else ("INT", "MLF")
    return (
        *rows_of(SHEET, ("DSC", Fraction(stated(dsc, "$.dsc")) / 2), (stat, Fraction(stated(other, "$.other")) / 2)),
        *rows_of(RULE, ("average", -Fraction(AVERAGE, 2))),
        *rows_of(SHEET, ("PSM", stated(psm, "$.psm"))),
        *rows_of(SHEET, (name, Fraction(within(factor, "$.factor")) / 3), ("TLF", Fraction(within(tlf, "$.tlf")) / 20)),
    )


class Initiative(msgspec.Struct, frozen=True, kw_only=True):
    """An initiative and every term of it. `init_rows` add up to `init`, `act_rows` to `act`.

    `init` is exact and may be below 0; `excess` is by how much, and `count` how many whole counts pass before the
    declaration. `act` may be negative (`action_speed.available` says what that means).
    """

    spd: Exact
    lvf_term: Exact
    rank_term: Exact
    mods: Exact
    secmods: Exact
    init_mod: Exact
    state_init: Exact
    init: Exact
    excess: Exact
    count: int
    act: Exact
    init_rows: tuple[Row, ...]
    act_rows: tuple[Row, ...]


def initiative(
    *,
    spd: Exact,
    lvf: Exact,
    rank: Exact,
    dice: Sequence[int],
    options: PrimerOptions,
    secondary_ranks: Sequence[Exact] = (),
    mods: Sequence[Row] = (),
    state: Sequence[Row] = (),
    lvf_spd: Exact | None = None,
) -> Initiative:
    """Work out an initiative.

    `spd` is the physical or mental speed, `lvf` and `rank` those of the skill to be used, `dice` the two faces. `mods` make
    quicker, whereas `state` slows: its rows are added to INIT (+4, +8, +16; P-22). Neither mods nor secondary skills reach ACT
    but through the excess (P-27). An INIT of exactly 0 acts at once and has no excess (P-29).

    `lvf_spd` is what a sheet prints as the speed beside its LVF: it holds SPD/2 and LVF/10 already and stands for both (L267,
    P-28). None, the default: the sheet has no such number.
    """
    if len(dice) != DICE:
        raise InputError(f"INIT takes {DICE} dice", path="$.dice", value=len(dice))
    faces = sum([whole(face, f"$.dice[{index}]", 1, SIDES) for index, face in enumerate(dice)])
    base = _base_terms(within(spd, "$.spd"), stated(lvf, "$.lvf"), lvf_spd)
    rank_term = rank_speed(rank, options)
    base_rows = rows_of(SHEET, *base, ("rank", rank_term))
    second = rows_of(SHEET, *[("secondary", Fraction(rank_speed(one, options)) / 2) for one in secondaries(secondary_ranks)])
    init_mod = points((*base_rows, *mods, *second))
    init_rows = (*rows_of(ROLL, ("dice", faces)), *negated((*base_rows, *mods, *second)), *state)
    init = points(init_rows)
    excess = max(0, -init)
    act_rows = (*base_rows, *rows_of(RULE, ("excess", excess)))
    return Initiative(
        spd=spd,
        lvf_term=base[-1][1],
        rank_term=rank_term,
        mods=points(mods),
        secmods=points(second),
        init_mod=init_mod,
        state_init=points(state),
        init=init,
        excess=excess,
        count=count_of(init, options),
        act=points(act_rows),
        init_rows=init_rows,
        act_rows=act_rows,
    )


def _base_terms(spd: Exact, lvf: Exact, lvf_spd: Exact | None) -> tuple[tuple[str, Exact], ...]:
    """Give the terms of speed and level factor, the latter last."""
    if lvf_spd is not None:
        return (("level-factor-speed", stated(lvf_spd, "$.lvf_spd")),)
    return (("speed", Fraction(spd) / 2), ("level-factor", Fraction(lvf) / 10))


def count_of(init: Exact, options: PrimerOptions) -> int:
    """Give the whole counts that pass before a declaration, 0 for an INIT below 0 (option `init_to_count`, P-24)."""
    return rounded(max(within(init, "$.init"), 0), options.init_to_count)


