"""How the open points of the source are read: one row a numbered ambiguity (primer.md, 2.2), in the order of that page.

P-81 does not exist. The table in README.md is made from these rows.
"""

from __future__ import annotations

from typing import NamedTuple


class Reading(NamedTuple):
    """`source` is the ambiguity's number; `where` names what settles it, as module.name.

    `switch` is the option, or what of a sheet or declaration decides, "" where nothing does.
    """

    source: str
    text: str
    where: str
    switch: str = ""


READINGS: tuple[Reading, ...] = (
    # skills and chances
    Reading("P-01", "ranks above 20 go on as the last ten rows do", "ranks.rank_row"),
    Reading("P-02", "the speed of ranks 1 and 2 is the formula's", "ranks.rank_speed", "rank_speed_source"),
    Reading("P-03", "only the DAM column is always rounded up", "ranks.dam_bonus"),
    Reading("P-04", "tables take the whole rank, formulas the exact one", "ranks.dam_bonus", "fractional_rank_dam"),
    Reading("P-05", "XTR is kept and never used", "tables.RankRow"),
    Reading("P-06", "the roll is against the final chance", "chance.success_level"),
    Reading("P-07", "a difficulty is printed as a bonus, so it comes off DIFF", "chance.success_chance"),
    Reading("P-08", "the level factor is capped by the rounded base chance, before DIFF and MODS", "chance.success_chance"),
    Reading("P-09", "the base chance is rounded once, halves up", "chance.success_chance", "bsc_rounding"),
    Reading("P-10", "rank 0 halves the stat part; unfamiliarity is a modifier", "chance.UNTRAINED_DIVISOR", "the declaration"),
    Reading("P-11", "a divine skill has a stat base of 0", "chance.success_chance"),
    Reading("P-12", "secondary skills that help are two at most; tertiary ones do nothing", "ranks.SECONDARIES_MAX"),
    Reading("P-13", "a secondary skill adds its whole DAM", "ranks.secondary_dam", "secondary_dam"),
    # success levels
    Reading("P-14", "a roll that equals the chance succeeds", "chance.success_level", "roll_equals_sc"),
    Reading("P-15", "missing by exactly 40 is SL -1", "chance.success_level", "roll_equals_sc_plus_40"),
    Reading("P-16", "levels from 3 up round up, those below 0 towards 0", "chance.success_level", "sl_high_rounding"),
    Reading("P-17", "a quarter of the chance has to be undercut, and so has every ten below it", "chance.success_level"),
    Reading("P-18", "ROLL - SC is told beside the level", "chance.difference"),
    Reading("P-19", "a tied contest does nothing; of two failures the better one wins", "chance.contest"),
    Reading("P-20", "a critical miss adds 20 a level to a d100 on the table's own chart", "chance.critical_effect"),
    Reading("P-21", "no roll succeeds or fails by itself", "chance.success_level"),
    # initiative and action points
    Reading("P-22", "states slow: they add to INIT, MODS to INIT_MOD", "initiative.initiative"),
    Reading("P-23", "the physical speed modifier is in both speeds", "initiative.speed_rows"),
    Reading("P-24", "a fractional INIT declares at the next whole count", "initiative.count_of", "init_to_count"),
    Reading("P-25", "a negative ACT is no AP", "action_speed.available", "negative_act"),
    Reading("P-26", "INIT is rolled for each action, from the count the one before ended", "initiative.initiative"),
    Reading("P-27", "neither MODS nor secondary skills reach ACT but through the excess", "initiative.initiative"),
    Reading("P-28", "SPD is not inside the level factor", "initiative.initiative", "lvf_spd of the skill"),
    Reading("P-29", "INIT 0 acts at once and has no excess", "initiative.initiative"),
    Reading("P-30", "resolutions in one count are simultaneous: all roll, then all apply, told by exact INIT", "clock.is_shared"),
    Reading("P-31", "no secondary skill adds nothing", "ranks.secondaries"),
    Reading("P-32", "what the printed speeds have inside a halving is data", "tables.ACTION_SPEEDS"),
    Reading("P-33", "other base speeds take the share of the halving, rounded down, at least 1", "action_speed.generated", "ap_interior"),
    Reading("P-34", "half a count is two actions in one, with a roll each", "tables.HALF_COUNT"),
    Reading("P-35", "AP trade for points of chance, not for shares of it", "tables.Trade"),
    Reading("P-36", "what AP buy is no more than the base it is bought for", "action_speed.sell"),
    Reading("P-37", "buying AP with negative initiative is what happens by itself, once", "action_speed.buy"),
    Reading("P-38", "costs compare with the exact AP; whole ones are traded", "action_speed.Spent"),
    Reading("P-39", "bought damage is part of BD", "harm.base_damage"),
    # damage
    Reading("P-40", "only steps 3 and 4 end a hit early", "harm.damage", "bleed_when_absorbed_to_zero"),
    Reading("P-41", "a tenth of the damage absorbed in step 7 bleeds", "harm.damage", "bleed_basis"),
    Reading("P-42", "damage is exact", "harm.damage"),
    Reading("P-43", "soft damage the pool cannot take is multiplied with the hard", "harm.damage"),
    Reading("P-44", "a point of the pool takes 4 of soft damage", "tables.SOFT_RATE"),
    Reading("P-45", "soft damage is a share of what armour left, in step 5", "harm.damage"),
    Reading("P-46", "armour 8 against crushing needs craft, magic or layers", "armour.protection_rows"),
    Reading("P-47", "PAB and MAB are full for each hit", "harm.pool_left", "pab_refresh"),
    Reading("P-48", "the unaware have a quarter of PAB and MAB", "harm.pool_factor", "unaware_factor"),
    Reading("P-49", "what MAB absorbs hurts POW", "tables.POOL_HURT"),
    Reading("P-50", "the success level multiplies what armour and soft absorption left", "harm.damage"),
    Reading("P-51", "SL 0 or less does nothing at all", "harm.damage"),
    Reading("P-52", "points of PAB and MAB are fractions", "harm.damage"),
    Reading("P-53", "knockback goes in whole half feet", "harm.knockback", "knockback_steps"),
    Reading("P-54", "the best item over the place shortens knockback, of mail its upper range alone", "armour.knockback_pct"),
    Reading("P-55", "which positions are head and lower leg is read off the items; the chart is the table's", "tables.POSITIONS", "the chart"),
    Reading("P-56", "armour does not wear", "armour.wear", "armor_wear"),
    Reading("P-57", "a hit that wards or armour stopped knocks back", "harm.knockback"),
    Reading("P-58", "knockback is worked out from BD and applied at the end", "harm.knockback"),
    # shock, states, armour, sheet
    Reading("P-59", "the first quarter costs no level, each further one", "shock.penalty", "shock_penalty"),
    Reading("P-60", "the first quarter has to be exceeded, the others reached", "shock.quarters", "shock_first_breakpoint"),
    Reading("P-61", "several lines passed at once are one roll at the worst penalty", "shock.shock_check"),
    Reading("P-62", "exertion counts for repeated rolls alone", "tables.EXERTION"),
    Reading("P-63", "WDB comes off the BD of the state's owner", "harm.base_damage"),
    Reading("P-64", "every state of a recovery lasts as long as the first", "shock.cascade"),
    Reading("P-65", "a worse state replaces with its own end, the same starts anew, a milder one is ignored", "shock.state_change"),
    Reading("P-66", "dazed or stunned, a running action goes on", "shock.state_interrupts", "stun_interrupts"),
    Reading("P-67", "the dead may roll once more at -60, and the new level replaces the old", "shock.REVIVAL_MOD"),
    Reading("P-68", "no state lasts less than 0", "shock.shock_duration"),
    Reading("P-69", "levels above 1 are like 1", "shock.state_at"),
    Reading("P-70", "an area that took more than half its HTK calls for a health save", "shock.area_check"),
    Reading("P-71", "a state takes nothing off DEF", "chance.defends", "the stance"),
    Reading("P-72", "both saves of a wound are rolled before either applies", "wounds.Fate"),
    Reading("P-72a", "craft and magic raise protection alone", "armour.protection_rows"),
    Reading("P-73", "craft and magic both count, each against the base", "armour.protection_rows", "craft_magic_stack"),
    Reading("P-74", "layers add", "armour.protection_rows"),
    Reading("P-75", "one wearing skill, the best of a worn class, relieves the total, never above 0", "armour.modifier_rows"),
    Reading("P-76", "a partial suit has the modifiers of a whole one", "armour.modifier_rows", "what the sheet lists"),
    Reading("P-77", "odd armour modifiers are as printed", "tables.MATERIALS"),
    Reading("P-78", "A# multiplies weight and points", "armour.item_of"),
    Reading("P-79", "positions 7 to 10 are bare, 00 is 100", "armour.cover"),
    Reading("P-80", "armour's AGL modifier is a stat penalty, not fed into DEF, MVM or SPD", "armour.ArmorMods"),
    Reading("P-82", "there are nine saves", "derived.SaveName"),
    Reading("P-83", "mental resistance and Willpower are one skill", "derived.SAVES"),
    Reading("P-84", "WGT_DIFF is actual less ideal weight: signed in DEF, absolute in HLTH", "traits.Traits", "WGT_DIFF of the sheet"),
    Reading("P-85", "brackets too many are dropped", "derived.VALUES"),
    Reading("P-86", "MDF begins with the larger of NMD and SCF", "derived.VALUES"),
    Reading("P-87", "BLD is a stat of its own", "traits.Traits"),
    Reading("P-88", "MVM is in feet a count", "derived.VALUES"),
    Reading("P-89", "Lifting counts in the strength save", "derived.SAVES"),
    Reading("P-90", "saves and derived values are not rounded", "derived.value"),
    Reading("P-91", "BD counts at least 0, and nothing is bought on top of 0", "harm.base_damage"),
    Reading("P-92", "all saves take the modifiers of states, wounds and exhaustion", "shock.save_mods", "state_mods_on_saves"),
    Reading("P-93", "only who is aware and defending has DEF or MDF", "chance.defends"),
    Reading("P-94", "healing rolls after the first are at +10, once", "shock.HEALING_LATER"),
    Reading("P-95", "who resolved, and whose action a stun cancelled, has a new stimulus at the end of the count", "clock.stimulus"),
)
"""In the order of the page."""
