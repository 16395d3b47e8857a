"""Base damage, the nine steps, knockback (primer.md, 1.8)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from affray.kernel import Exact, InputError, Row
from affray.plugins.primer.harm import Harm, base_damage, damage, knockback, pool_factor, pool_left
from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.ranks import dam_bonus, secondary_dam
from affray.plugins.primer.rows import points
from affray.plugins.primer.tables import AWARENESS, DAMAGE_TYPES, KNOCKBACK_LOCATIONS, DamageType

from .numbers import DEFAULTS, choices, quarters, ranks

kinds = st.sampled_from(list(DAMAGE_TYPES))
hits: dict[str, Any] = {
    "bd": quarters(0, 60),
    "kind": kinds,
    "sl": st.integers(1, 9),
    "armor": st.integers(0, 25),
    "pool": quarters(0, 20),
    "reductions": quarters(0, 15),
    "awareness": st.sampled_from(list(AWARENESS)),
}
any_hit = st.fixed_dictionaries(hits)


# -- the steps


def closed_form(bd: Exact, armor: Exact, pool: Exact, reductions: Exact, sl: int, rate: Exact) -> Exact:
    """1.8, under every default: `damage = Y - a7 + a7/10`."""
    b = max(0, bd - reductions)
    x = max(0, b - armor)
    s = min(armor, x)
    a5 = min(s, 4 * pool)
    y = Fraction(x - a5) * sl / 2
    a7 = min(y, rate * (pool - Fraction(a5, 4)))
    return y - a7 + Fraction(a7, 10)


@given(any_hit)
def test_the_steps_are_the_closed_form(hit: Any) -> None:
    share = AWARENESS[hit["awareness"]]
    rate = DAMAGE_TYPES[hit["kind"]].rate
    told = closed_form(hit["bd"], hit["armor"], hit["pool"] * share, hit["reductions"], hit["sl"], rate)
    assert told == damage(**hit, options=DEFAULTS).step8_damage


@given(any_hit, st.sampled_from(["sl", "armor", "pool", "reductions", "bd"]))
def test_more_success_never_hurts_less_and_more_protection_never_more(hit: Any, grown: str) -> None:
    """Under the defaults: bleeding by pool points or by soft damage breaks this, as anybody can reckon."""
    before = damage(**hit, options=DEFAULTS).step8_damage
    after = damage(**{**hit, grown: hit[grown] + 1}, options=DEFAULTS).step8_damage
    assert after >= before if grown in ("sl", "bd") else after <= before


@given(any_hit, choices)
def test_every_stage_follows_from_those_before(hit: Any, options: PrimerOptions) -> None:
    found = damage(**hit, options=options)
    assert hit["bd"] + points(found.rows) == found.step8_damage
    assert found.pool_available == hit["pool"] * pool_factor(hit["awareness"], options)
    assert found.step3_abd == max(0, hit["bd"] - hit["reductions"])
    if found.ended == "step-3":
        assert (found.step3_abd, found.step8_damage, found.pool_used) == (0, 0, 0)
        return
    assert numbers(found.step4_stopped) + numbers(found.step4_abd) == found.step3_abd
    if found.ended == "step-4":
        assert (found.step4_abd, found.step8_damage, found.pool_used) == (0, 0, 0)
        return
    assert found.ended == "step-8"
    assert numbers(found.step5_soft) + numbers(found.step5_hard) == found.step4_abd
    assert numbers(found.step5_abd) + numbers(found.step5_absorbed) == found.step4_abd
    assert numbers(found.step6_abd) == numbers(found.step5_abd) * Fraction(hit["sl"], 2)
    assert numbers(found.step7_abd) + numbers(found.step7_absorbed) == found.step6_abd
    assert numbers(found.step7_abd) + numbers(found.step8_bleed) == found.step8_damage
    assert numbers(found.pool_available) - found.pool_used == found.step7_pool_left
    assert min(numbers(found.step5_pool_left), numbers(found.step7_pool_left), numbers(found.step7_abd)) >= 0
    assert found.step8_pool == ("POW" if hit["kind"] == "energy" else "HTK")


def numbers(value: Exact | None) -> Exact:
    assert value is not None
    return value


def test_the_fields_of_a_hit_stand_in_the_order_of_the_steps() -> None:
    steps = [name[4] for name in Harm.__struct_fields__ if name.startswith("step")]
    assert steps == sorted(steps)


@given(any_hit, st.integers(-4, 0), choices)
def test_a_miss_enters_no_step(hit: Any, sl: int, options: PrimerOptions) -> None:
    """P-51."""
    found = damage(**{**hit, "sl": sl}, options=options)
    assert (found.ended, found.step8_damage, found.step3_abd, found.pool_used) == ("miss", 0, None, 0)
    assert hit["bd"] + points(found.rows) == 0


@given(any_hit)
def test_what_the_pool_took_whole_bleeds_only_where_the_option_lets_it(hit: Any) -> None:
    """P-40."""
    strict = PrimerOptions(bleed_when_absorbed_to_zero=False)
    usual, other = damage(**hit, options=DEFAULTS), damage(**hit, options=strict)
    if usual.ended == "step-8" and usual.step7_abd == 0:
        assert other.step8_damage == 0
    else:
        assert usual == other


def test_the_rows_of_the_source_example() -> None:
    """2.1: 20 crushing, SL 6, armour 8, PAB 3."""
    found = damage(bd=20, kind="crushing", sl=6, armor=8, pool=3, options=DEFAULTS)
    told = [("armor", -8), ("PAB-soft", -8), ("success-level", 8), ("PAB", -2), ("bleed", "1/5")]
    assert told == [(row.code, row.amount) for row in found.rows]
    assert found.step8_damage == Fraction(51, 5)


def test_bd_of_twice_the_armour_never_gets_through_a_pool_that_holds_the_soft_part() -> None:
    """1.8, consequences."""
    found = damage(bd=16, kind="slicing", sl=9, armor=8, pool=2, options=DEFAULTS)
    assert (found.step8_damage, found.pool_used) == (0, 2)


@pytest.mark.parametrize(
    "fields",
    [{"bd": -1}, {"kind": "SL"}, {"armor": -1}, {"reductions": -1}, {"awareness": "asleep"}, {"sl": Fraction(1, 2)}],
    ids=lambda fields: next(iter(fields)),
)
def test_what_is_no_hit_is_refused_by_its_path(fields: Any) -> None:
    (name,) = fields
    with pytest.raises(InputError, match=rf"^\$\.{name}: must"):
        damage(**{"bd": 10, "kind": "slicing", "sl": 2, "options": DEFAULTS, **fields})


def test_a_pool_below_0_absorbs_nothing() -> None:
    """PAB is a formula that weak people bring below 0."""
    weak, none = [damage(bd=9, kind="slicing", sl=2, armor=2, pool=pool, options=DEFAULTS) for pool in (-3, 0)]
    assert weak == none


# -- the pool


@pytest.mark.parametrize(
    ("awareness", "quarter", "three_quarters"),
    [("aware-defending", 1, 1), ("reacting", "1/2", "1/2"), ("undefending", "1/2", "1/2"), ("unaware", "1/4", "3/4")],
)
def test_the_factor_of_an_awareness(awareness: Any, quarter: Any, three_quarters: Any) -> None:
    """P-48."""
    factors = [pool_factor(awareness, PrimerOptions(unaware_factor=one)) for one in ("1/4", "3/4")]
    assert factors == [Fraction(quarter), Fraction(three_quarters)]


@pytest.mark.parametrize(("refresh", "left"), [("per_hit", 8), ("per_count", 6), ("per_fight", 0)])
def test_what_is_left_of_the_pool_for_the_next_hit(refresh: Any, left: Exact) -> None:
    """P-47."""
    assert left == pool_left(8, 2, 9, PrimerOptions(pab_refresh=refresh))


# -- base damage


@given(
    st.integers(0, 40),
    st.integers(-9, 9),
    ranks,
    st.lists(ranks, max_size=2),
    st.integers(0, 40),
    st.sampled_from([0, -2, -4, -8]),
    choices,
)
def test_base_damage_is_its_rows_and_never_more_than_doubled(
    rolled: int, weapon: int, rank: Exact, seconds: Any, ap: int, wdb: int, options: PrimerOptions
) -> None:
    found = base_damage(
        rolled=rolled, weapon=weapon, rank=rank, secondary_ranks=seconds, ap_for_dam=ap, wdb=wdb, options=options
    )
    helped = sum([secondary_dam(one, options) for one in seconds])
    plain = max(0, rolled + weapon + dam_bonus(rank, options) + helped + wdb)
    assert found.bought_dam == min(plain, Fraction(ap, 2))
    assert found.bd == plain + found.bought_dam == points(found.rows)


def test_rows_of_base_damage() -> None:
    rows = (Row("blessed", 1, "house-rule"),)
    found = base_damage(rolled=6, weapon=3, rank=7, secondary_ranks=(6,), wdb=-2, mods=rows, ap_for_dam=3, options=DEFAULTS)
    told = [("dice", 6), ("weapon", 3), ("rank", 3), ("secondary", 2), ("state", -2), ("blessed", 1), ("bought", "3/2")]
    assert told == [(row.code, row.amount) for row in found.rows]


def test_what_is_not_given_counts_nothing() -> None:
    plain = damage(bd=10, kind="slicing", sl=2, options=DEFAULTS)
    assert (plain.step8_damage, plain.pool_available, plain.step4_stopped) == (10, 0, 0)
    assert base_damage(rolled=5, weapon=0, rank=2, options=DEFAULTS).bd == 5
    assert knockback(bd=20, kind="crushing", options=DEFAULTS).feet == 2


def test_a_state_never_helps_its_owner() -> None:
    """P-63."""
    with pytest.raises(InputError, match=r"^\$\.wdb: must"):
        base_damage(rolled=5, weapon=0, rank=2, wdb=1, options=DEFAULTS)


def test_a_negative_blow_heals_nobody() -> None:
    """P-91."""
    found = base_damage(rolled=2, weapon=0, rank=1, wdb=-8, ap_for_dam=9, options=DEFAULTS)
    assert (found.bd, found.bought_dam) == (0, 0)
    assert [row.code for row in found.rows][-1] == "no-healing"


# -- knockback


@given(quarters(0, 60), kinds, st.sampled_from(list(KNOCKBACK_LOCATIONS)), st.sampled_from([0, -10, -25]))
def test_knockback_goes_in_half_feet_before_the_factors(bd: Exact, kind: DamageType, location: Any, pct: int) -> None:
    """P-53."""
    found = knockback(bd=bd, kind=kind, location=location, item_pct=pct, options=DEFAULTS)
    smooth = knockback(bd=bd, kind=kind, location=location, item_pct=pct, options=PrimerOptions(knockback_steps="proportional"))
    assert found.steps == int(found.steps) <= smooth.steps < found.steps + 1
    assert found.points * smooth.steps == bd
    for one in (found, smooth):
        assert one.feet == one.steps * Fraction(1, 2) * one.location_factor * Fraction(100 + pct, 100)


@pytest.mark.parametrize("fields", [{"item_pct": 1}, {"item_pct": -101}, {"location": "arm"}, {"bd": -1}])
def test_what_is_no_knockback_is_refused(fields: Any) -> None:
    (name,) = fields
    with pytest.raises(InputError, match=rf"^\$\.{name}: must"):
        knockback(**{"bd": 20, "kind": "crushing", "options": DEFAULTS, **fields})


def test_a_result_cannot_change() -> None:
    """Law 1: results are values."""
    found = damage(bd=10, kind="slicing", sl=2, options=DEFAULTS)
    with pytest.raises(AttributeError):
        found.step8_damage = 0  # type: ignore[misc]  # that is the question
    assert msgspec.structs.replace(found) == found
