"""The bounds of what a sheet may state, by name (law 9). They are ours, not the game's: every sum stays far inside 2^53."""

from __future__ import annotations

SCORE_MAX = 1000
"""Highest statistic, skill rank, sequence, delay, bonus or armor."""

DURABILITY_MAX = 10_000
"""Highest durability of a weapon, and highest price of a fumble."""

DICE_MAX = 100
"""Most damage dice of a weapon."""

SIDES_MAX = 1000
"""Most sides of a damage die."""

ENERGY_MAX = 10_000
"""Fullest energy bank, dearest swing and highest exhaustion floor."""

HEALTH_MAX = 10_000
"""Most health that a sheet states for a location."""

FLAT_MAX = 10_000
"""Largest flat part of a weapon's listed damage, either way."""
