"""The bounds of what a sheet may state, by name (law 9). They are ours, not the game's: every number stays far inside 2^53."""

from __future__ import annotations

SCORE_MAX = 1000
"""Highest trait, rating, soak, penalty or fixed amount, either way."""

DICE_MAX = 300
"""Most dice of one pool; what would be more is not thrown."""

AMOUNT_MAX = 100
"""Largest fixed amount of a charm or artifact, either way."""

PART_MAX = 12
"""Largest numerator and denominator of a factor, and largest denominator of a fixed amount."""

FACTORS_MAX = 6
"""Most factors that act on one Defense Value, steps D and E together: 12^6 times what can be summed stays inside 2^53."""

EFFECTS_MAX = 100
"""Most rows of steps D and E together."""

LEVELS_MAX = 100
"""Most health levels of a track."""

LIST_MAX = 50
"""Most weapons, charms or artifacts of a sheet, and rows of one charm."""

SPEED_MAX = 60
"""Most ticks an action may take."""

FLURRY_MAX = 20
"""Most actions of one flurry."""

COUNTERS_MAX = 100
"""Most ways to strike back: charms for it times weapons."""
