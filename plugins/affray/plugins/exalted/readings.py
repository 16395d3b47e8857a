"""How the open points of the rules page are read: one row a numbered ambiguity of part 4, then what part 3 leaves open.

The table in README.md is made from these rows (`python -m tests.golden.exalted_readings`).
"""

from __future__ import annotations

from typing import NamedTuple


class Reading(NamedTuple):
    """`source` is the ambiguity's number, or where the page is open; `where` names what settles it, as module.name.

    `switch` is the option, or what of a sheet or declaration decides, "" where nothing does.
    """

    source: str
    text: str
    where: str
    switch: str = ""


READINGS: tuple[Reading, ...] = (
    Reading("1", "a shield's mobility counts in the sum of A, for a dodge only", "defense_value.base_rows", "mobility_mode"),
    Reading("2", "Hearthstone Bracers help a dodge only", "defense_value.base_rows", "bracers_on_parry"),
    Reading("3", "a Virtue or Willpower, never both; stunts beside either", "defence.supports"),
    Reading("4", "stunt dice are 0 to 3 and have no other cap", "defense_value.STUNT_MAX"),
    Reading("5", "what comes after step B can lift an inapplicable defence", "defense_value.floor_rows", "inapplicable_is_final"),
    Reading("6", "stunts and charms make a defence applicable before step A", "situation.is_inapplicable"),
    Reading("7", "the best of shield and cover counts, never less than 0", "defense_value.mundane_rows"),
    Reading("8", "the table says what ground and terrain are worth", "situation.WHOLE_PLACES", "rows at dv.ground, dv.terrain"),
    Reading("9", "ignoring wounds or mobility drops the term and never counts against the cap", "defense_value.Inputs"),
    Reading("10", "ignoring drops penalties, never bonuses", "defense_value.Inputs"),
    Reading("11", "in D fixed amounts come before factors", "defense_value.OPS"),
    Reading("12", "the order of E always holds, so listing order is never seen", "defense_value.OPS"),
    Reading("13", "a charm that adds and multiplies has two effects", "charms.Effect"),
    Reading("14", "L has presets for the Exalted of the table; for others the sheet states it, or is refused", "beings.BEINGS", "cap of the sheet"),
    Reading("15", "one L for charms from any source, the defender's", "defense_value.cap_rows"),
    Reading("16", "the cap is measured after enemies' charms", "defense_value.cap_rows", "cap_model"),
    Reading("17", "negative values are multiplied as they are", "defense_value.apply"),
    Reading("18", "a factor of 0 is refused; own charms may set a value after step E, outside the cap, where the table allows it", "defense_value.set_rows", "set_charms"),
    Reading("19", "a Solar's L is of Attribute and Ability alone", "beings.BEINGS"),
    Reading("20", "First Excellency adds a point a success in step E", "defence.defence_dice"),
    Reading("21", "a charm that ignores the cap acts in D, factors included", "charms.MagicRow"),
    Reading("22", "the player chooses the defence; the higher is offered first, of equals the parry", "defence.stances"),
    Reading("23", "inputs count at step 5, and once more at step 6", "defence.after_roll", "same_tick"),
    Reading("24", "spirits round up", "beings.BEINGS", "rounding of the sheet"),
    Reading("25", "no Ability is an Ability of 0", "sheet.Sheet"),
    Reading("26", "Willpower is +2 in the sum of A, which is a point", "defense_value.WILLPOWER_DICE", "virtue_mode"),
    Reading("27", "who is down has no applicable defence, but cover", "situation.is_inapplicable"),
    Reading("28", "bracers count in A, other artifacts in D", "charms.Artifact"),
    Reading("part 2", "wounds are halved with the sum", "defense_value.base_rows", "wound_mode"),
    Reading("part 2", "stunt dice are not rolled on a defence", "defense_value.base_rows", "stunt_mode"),
    Reading("3.1 step 8", "Hardness that equals raw damage stops it", "damage.damage_pool"),
    Reading("3.1 step 9", "a counterattack ends before the damage it answers is rolled, and does not prevent it", "attack.strike_back"),
    Reading("3.3", "a dash may stand in a flurry (sources disagree)", "timing.InFlurry"),
    Reading("3.3", "Rate is the most attacks of a flurry with one weapon ([own])", "gear.Weapon", "rate of the weapon"),
    Reading("3.3", "coordinating costs 2 DV (M)", "timing.TIMINGS"),
    Reading("3.3", "every success of a coordination counts, not only those beyond its difficulty (M)", "maneuvers.coordinate"),
    Reading("3.3", "a coordinated attack serves the leader's side until the leader acts again (M)", "maneuvers.coordinate"),
    Reading("3.3", "onslaught is 1 for each earlier attack of the flurry on that target ([own])", "maneuvers.ONSLAUGHT_EACH"),
    Reading("3.3", "a late arrival counts its reaction from the next tick (ours)", "clock.arrive"),
    Reading("3.4", "on a full track bashing turns to lethal, and worse damage takes bashing's place (M)", "health.filled"),
    Reading("3.4", "wounds take dice of attacks and count in Defense Values, and lessen no other pool (ours)", "attack.dice_rows", "rows at dice, save.dice"),
    Reading("3.4", "dead is who has filled Stamina dying levels (M)", "health.state_of"),
    Reading("3.4", "knockdown has difficulty 2 ([own])", "saves.KNOCKDOWN_DIFFICULTY"),
    Reading("3.4", "a stunt pays 2 motes a die, the attacker's and the defender's (M)", "attack.STUNT_MOTES"),
    Reading("3.4", "a Virtue has a channel for each dot, and a channel costs a Willpower ([own])", "sheet.CHANNELS_EACH"),
    Reading("3.4", "a stunt or a charm parries what bare hands, arrows and a dash forbid, not the unblockable or unexpected ([own])", "situation.is_inapplicable"),
    Reading("3.4", "Excellencies are charms of a fixed effect and cost, used as often as the sheet says", "charms.Charm", "times of the charm"),
    Reading("3.5", "dice of joining battle are thrown in the order of joining (ours: no name decides)", "clock.begin"),
    Reading("3.5", "of one tick, who joined battle with more successes is first, then who joined first", "clock.begin", "same_tick"),
)
"""In the order of the page."""
