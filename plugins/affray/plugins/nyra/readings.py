"""How the open points of the rules page are read: one row a reading, in the order of the page.

The table in README.md is made from these rows (`python -m tests.golden.nyra_readings`).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Generation = Literal["both", "duel", "bank"]


class Reading(NamedTuple):
    """`source` says where the page is open; `where` names what settles it, as module.name.

    In a source, a section is the page's, `contradiction` a number of 3.2, I with a number the page's confidence in what it
    inferred, NY with a number a vector that leans on the reading, and `ours` what the page does not say. `switch` is the
    option that decides, "" where nothing does.
    """

    source: str
    generation: Generation
    text: str
    where: str
    switch: str = ""


READINGS: tuple[Reading, ...] = (
    Reading("1.1, I 0.75", "both", "a statistic's modifier is half of it, rounded down", "sheet.modifier", "modifier"),
    Reading("1.2, I 0.6; NY48, NY73", "both", "who is tied rolls in the order of joining, with equal dice again; after 15 dice the order of joining decides (ours)", "order.TIE_DICE"),
    Reading("1.3, I 0.9; NY26, NY30, NY58", "both", "a type that is not available, then a price that cannot be paid, is refused before any cost; a refusal never ends a turn", "actions.refusal"),
    Reading("1.3, I 0.9", "duel", "delay is paid at once, hit or miss", "strike.pay"),
    Reading("contradiction 3", "both", "halves and quarters of a skill round down", "checks.DIFFICULTIES"),
    Reading("contradiction 5", "both", "a die equal to the skill passes", "checks.outcome"),
    Reading("1.3, I 0.7", "both", "a natural 1 succeeds at an effective skill of 0", "checks.CRITICAL_FACE"),
    Reading("contradictions 11 and 14", "duel", "both defences are offered without a shield, at every strike", "strike.GUARDS", "variant"),
    Reading("1.3, I 0.8", "duel", "a defence is rolled at full skill and costs nothing", "strike.DEFENCE"),
    Reading("contradiction 6, I 0.5", "duel", "equal margins are rolled again", "strike.ON_TIE", "tie"),
    Reading("1.3, I 0.5", "duel", "tiebreak dice are never critical", "strike.compare"),
    Reading("contradiction 7, I 0.85, I 0.6; NY68", "duel", "a block ends the whole turn, also one that spends the last delay; a dodge, a miss and a fumble do not", "strike.ENDS_TURN"),
    Reading("1.3, I 0.8; NY30", "duel", "a turn ends by itself when no weapon owned can be paid", "strike.end_of_volley"),
    Reading("contradiction 1; NY52", "both", "a location roll of 4 is the right arm", "bodies.SPECIES"),
    Reading("contradiction 10; NY57", "both", "the dice double on a critical success, nothing else", "damage.CRITICAL_DICE"),
    Reading("1.4, I 0.65", "both", "Impact counts the dice as rolled, on a critical success too", "damage.IMPACT_COUNTS_CRITICAL_DICE"),
    Reading("1.4, I 0.7", "both", "Mastercraft counts the full skill, on an aimed strike too, and in the bank (ours)", "damage.MASTERCRAFT_SKILL"),
    Reading("1.4, 0.75; contradiction 16", "both", "Swiftness is the modifier once more; raw damage and traits make the final damage", "damage.traits"),
    Reading("contradiction 17; NY34, NY66", "both", "each trait is rounded down by itself", "damage.traits", "trait_rounding"),
    Reading("1.4, 0.9; NY76", "both", "armor comes after final damage and never heals", "damage.part"),
    Reading("contradictions 2 and 13; NY87", "both", "Carnifex has a flat part of 15; N/A stays N/A whatever the material; a new Hone replaces the old", "weapons.base_flat"),
    Reading("1.6, I 0.85", "both", "bands include their upper ends", "bodies.BUILDS"),
    Reading("1.6, I 0.7; NY84", "both", "a mangled or severed limb goes on bleeding 3", "bodies.BLEEDS"),
    Reading("1.6, I 0.5", "both", "who bleeds loses at the start of the own turn", "turns.start", "bleed_timing"),
    Reading("1.7, I 0.6; NY17, NY18", "duel", "a critical success can be defended; the defence die is rolled whatever the option says", "strike.compare", "crit_auto_hit"),
    Reading("1.7, I 0.6; NY17, NY18", "bank", "the same: a defence that passes avoids a critical swing", "swing.avoid", "crit_auto_hit"),
    Reading("1.7, 0.85", "both", "a natural 10 costs the weapon durability", "strike.miss", "fumble_durability"),
    Reading("1.7, I 0.7", "both", "a defender's 1 or 10 is no more than a success or a failure", "strike.defence_roll"),
    Reading("contradiction 4; NY52", "bank", "every skill is halved in battle", "swing.ATTACKS", "variant"),
    Reading("2, I 0.6; NY74", "bank", "an aimed swing is Impossible: a quarter of the skill", "swing.ATTACKS"),
    Reading("2, I 0.6; NY54, NY56, NY74", "bank", "a defender's skill is halved as well", "swing.DEFENCE"),
    Reading("2; NY54", "bank", "attack and defence pass or fail each for itself; margins are not compared, so nothing ties", "swing.avoid", "variant"),
    Reading("contradiction 11; NY55, NY56", "bank", "Defense needs a shield, Dodge does not", "swing.NEEDS_SHIELD", "variant"),
    Reading("contradiction 12; NY54", "bank", "the location is rolled before the defence, on every wild success", "swing.swing", "variant"),
    Reading("2; NY57", "bank", "a 1 and a 10 are what they are in the duel", "swing.swing"),
    Reading("2, ours", "bank", "the branch of Swords has no number of its own", "swing.swing"),
    Reading("1.3, I 0.8; NY58", "bank", "one swing ends the turn, whatever came of it; a refused one is none", "swing.end_of_swing"),
    Reading("1.2, ours", "bank", "an opening from hiding costs energy at once, and the next turn owes nothing", "swing.end_of_swing"),
    Reading("2, I 0.8; NY79, NY91", "bank", "a swing costs energy whether or not it hits", "energy.spend"),
    Reading("2, I 0.2", "bank", "bank and cost are stored numbers without a formula", "sheet.bank"),
    Reading("8", "bank", "no bank is 0 energy; a weapon without a cost is swung for nothing", "energy.exhaustion"),
    Reading("contradiction 8, I 0.6; NY58, NY59, NY79, NY91", "bank", "a swing has to leave half of the full bank, rounded down; exactly that is allowed", "energy.floor", "exhaustion_floor"),
    Reading("2", "bank", "nothing refills a bank", "turns.start"),
    Reading("contradiction 9", "both", "health that a sheet states counts in the bank, bands everywhere else", "wounds.stated_health", "variant"),
    Reading("2, ours", "bank", "health that is used up is shown, and its effects are the game master's", "wounds.run_out"),
)
"""In the order of the page: section 1 with the contradictions that touch it, then section 2."""
