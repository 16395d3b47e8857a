"""Every bound of the kit, by name (law 9). Each has a test at it and one past it."""

from __future__ import annotations

FIGHTS = 6
"""Fights that a check of rules plays, unless it is told another number."""

COMMANDS = 40
"""Commands of each fight, joining and beginning aside, unless it is told another number."""

PEOPLE = 3
"""Combatants of a fight at its beginning, at most."""

BREACHES = 5
"""Breaches after which a fight is not gone on with."""

REFUSALS = 30
"""Declarations that are refused one after the other, after which a fight is not gone on with."""

HOPELESS = 30
"""Times that an action is declared in vain in a fight, after which it is tried no more while there is anything else."""

COMBINATIONS = 200
"""Ways to fill in a form that are tried before it counts as always refused."""

SHEET_TRIES = 200
"""Sheets made of a type of which none is valid, before it is given up."""

SHEETS = 6
"""Sheets that a check of rules makes where it is given none."""

VALUE_DEPTH = 8
"""Values inside one another in a sheet or in parameters that are made of a type."""

SAMPLES = 3
"""Actions in which a verdict of one key and code, or a roll of one key, is changed."""

ALTERNATIVES = 12
"""Other codes, or other faces, that are tried in the place of one verdict or roll."""

FOUND_ALIKE = 5
"""Findings of one code, plugin and hook that are told; of more only the number."""

HOOK_SECONDS = 5
"""Seconds after which a hook, or a generator on its way to its next step, is broken off."""

PROCESS_SECONDS = 60
"""Seconds that the same fights may take in another process."""

HASH_SEEDS = (1, 2)
"""Seeds of the hash of text, of the other processes in which the fights are played again."""

ENUMERATIONS = 20_000
"""Times that something is played to go through all faces of its dice."""
