"""What the system publishes about itself: where modifier rows may act, and what its step keys mean."""

from __future__ import annotations

from collections.abc import Mapping

PLACES: Mapping[str, str] = {
    "attack.skill": "the attacker's skill, before an aimed strike or the bank halves it",
    "defence.skill": "the skill the target defends with, before the bank halves it; conditions of the target act here, not the attacker's",
    "damage.flat": "damage after traits and before armor: where feats belong",
    "damage.armor": "armor of the target; a negative amount stops more; conditions of the target act here",
}

STEPS: Mapping[str, str] = {
    "attack": "roll and verdict: the attacker's d10 against the effective skill",
    "defence": "prompt, defence, roll and verdict of the target",
    "contest": "verdict: the attacker's margin against the defender's",
    "avoid": "verdict of the bank: whether the defence avoids the swing",
    "tiebreak": "roll: another d10 of either side after equal margins",
    "location": "roll: where a wild strike lands",
    "damage": "roll and damage of a hit",
    "delay": "change: the weapon's delay is paid",
    "energy": "change: what a swing of the bank costs is paid",
    "forfeit": "change: a block takes what delay was left",
    "refill": "change: delay at the start of a turn",
    "fumble": "change: durability that a natural 10 costs",
    "bleeding": "damage of a turn's bleeding, and the condition that it begins, grows or stops",
    "slight-wound": "condition: the worst tier of a location so far",
    "serious-wound": "condition: the worst tier of a location so far",
    "critical-wound": "condition: the worst tier of a location so far",
    "mangled-wound": "condition: the worst tier of a limb so far",
    "severed-wound": "condition: the worst tier of a limb so far",
    "mangled": "condition: a limb that cannot be used",
    "severed": "condition: a limb that is lost",
    "spent": "condition: nothing is left of the health that a sheet of the bank states for a location",
    "death": "condition, order and end of turn of who dies",
    "order": "order: everybody's first turn",
    "late": "order: the place of a late arrival",
    "next-turn": "order: the turn in the next phase",
    "tie": "roll and change: the die that settles equal sequence and AGI",
    "revealed": "condition: who strikes is hidden no more",
    "delay-owed": "condition: what an opening strike takes off the next turn",
    "blocked": "end of turn: a strike was blocked",
    "delay-spent": "end of turn: no weapon can be paid any more",
    "choice": "end of turn by choice",
    "one-swing": "end of turn: one swing of the bank is done",
    "opening": "end of a stealth opening",
}
