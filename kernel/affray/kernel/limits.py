"""Every bound of the kernel, by name (law 9).

Input from outside is untrusted, so whatever can grow has a bound here and a test at the bound and one
past it. Raising a bound is compatible; lowering one may make an old log unreadable, so none is lowered.
"""

NUMBER_MAX = 2**53 - 1
"""Largest magnitude of a whole number, a numerator or a denominator: what a browser reads exactly."""

NOTATION_LENGTH = 500
"""Characters of a dice notation as typed."""

NOTATION_DEPTH = 50
"""Nested brackets in a dice notation."""

DICE_PER_PLAN = 1000
"""Dice of one plan, all terms together, before rerolls and explosions."""

DIE_SIDES = 1_000_000
"""Sides of a die."""

CHAIN_LINKS = 100
"""Faces in the chain of one die: the first, then rerolled or exploded ones."""

FACES_PER_ROLL = 5000
"""Faces of one roll, rerolled and exploded ones included."""

STEPS_PER_ACTION = 2000
"""Steps of one root action with all that hangs below it."""

NESTING = 16
"""Runs (nested actions, follow-ups) open inside one another."""

AMEND_EDITS = 200
"""Edits of one amend."""

EVENTS_PER_COMMIT = 4000
"""Events of one accepted command."""

LINE_BYTES = 4 * 1024 * 1024
"""Bytes of one line of the portable file: one commit."""

COMBATANTS = 500
"""Combatants that ever joined one session."""

TARGETS = 100
"""Targets of one action, and people asked by one prompt."""

OPTIONS = 200
"""Options of one prompt."""

ROWS = 200
"""Rows of one trace, modifier rows of one declaration, entries of one order."""

ID_LENGTH = 64
"""Characters of an id a person or a program chooses."""

RUN_ID_LENGTH = 512
"""Characters of a run's id, which grows with nesting."""

NAME_LENGTH = 200
"""Characters of a name or a title."""

TEXT_LENGTH = 10_000
"""Characters of a note or a reason."""

JSON_DEPTH = 32
"""Nesting of a sheet, parameters or options."""

JSON_ITEMS = 20_000
"""Values in one sheet, parameter set or option set."""

DICE_EPOCHS = 1024
"""Length of a dice chain: epochs one session can open."""

AGENDA_ENTRIES = 2000
"""Entries of the agenda."""

SNAPSHOT_BYTES = 8 * 1024 * 1024
"""Bytes of one snapshot; a state that takes more is folded from its events each time."""

POINTS_RECENT = 256
"""Newest ends of commits that an audit keeps with their states, at least."""

POINTS_APART = 64
"""Commits from one older end that an audit keeps to the next."""

SPREAD_WORK = 2_000_000
"""Steps, of one face or one pair of readings each, after which the readings of a dice plan are not worked out exactly."""

ODDS_BRANCHES = 20_000
"""Executions of one action beyond which its odds are estimated and not worked out."""

LUCK_BRANCHES = 2_000
"""Executions of one recorded action beyond which its luck is not worked out."""

LUCK_FACES = 5_000
"""Faces of one kind of die beyond which it is not worked out how likely an uneven die is noticed: nearly always."""

ODDS_ROLLS = 200
"""Rolls one after the other in an action, beyond which its odds are estimated."""

ODDS_SAMPLES = 1_000_000
"""Samples of one estimate."""

ODDS_STRATEGIES = 64
"""Ways to answer prompts for each of which odds are given at once."""
