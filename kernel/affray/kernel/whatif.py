"""What if: the same people, dice and answers under other rules (law 6).

A log's present line is run again from its beginning under another manifest. Dice that the record lacks are thrown from
a source of their own, keyed by their slot, so that asking twice gives the same; a decision that it lacks ends the run.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from .difference import ChangedStep, Difference, changed_steps, differences
from .draws import Drawn, Unwitnessed, face_source, kept_faces, slot_within
from .errors import InputError
from .events import Open, Rules
from .exchange import RuleBook
from .fold import fold_all
from .lineage import rolls_of
from .log import Log
from .names import slot
from .recorded import Past, inputs_of, open_end_of, witnesses_of
from .rerun import Outcome, Rerun, Stopped
from .state import State
from .steps import Roll
from .values import Manifest


class WhatIf(msgspec.Struct, frozen=True, kw_only=True):
    """What would have come out. `changed` tells every step that comes out otherwise, the first divergence first.

    `drawn` tells the rolls that needed dice no record has, `dropped` the commands that were not possible, `stopped` what
    ended it early; `before` and `after` are the endings ("" for none).
    """

    session: str
    version: int
    changed: tuple[ChangedStep, ...]
    differences: tuple[Difference, ...]
    dropped: tuple[Outcome, ...]
    drawn: tuple[str, ...]
    stopped: Stopped | None
    before: str
    after: str

    @property
    def is_same(self) -> bool:
        """Whether the other rules change nothing."""
        return not (self.changed or self.differences or self.dropped or self.stopped)


class Throwaway:
    """Dice for what never happened. `seed` makes other ones."""

    def __init__(self, seed: str = "") -> None:
        self._secret = f"what if {seed}".encode()

    def again(self, roll: Roll, run: int, state: State, recorded: tuple[int, tuple[tuple[int, ...], ...]]) -> Drawn | Unwitnessed:
        """The recorded faces as far as there are any."""
        numbers = {one.id: one.number for one in state.combatants.values()}
        face = face_source(self._secret, roll.action, 0, "", 0, slot_within(roll, numbers))
        return Drawn(kept_faces(roll.plan, recorded[1], face), "engine", recorded[0])


def what_if(log: Log, book: RuleBook, manifest: Manifest, *, seed: str = "") -> WhatIf:
    """Run a log's present line again under another manifest.

    Raises InputError for a log of which something is kept from this copy, PluginUnavailable, Breach.
    """
    if log.is_partial:
        raise InputError("a copy without its kept parts cannot be played again", path="session")
    line = log.line()
    first = line[0][1] if line else None
    if type(first) is not Open:
        raise InputError("the log does not begin with `open`", path="session")
    opened = replace(first, manifest=manifest, fingerprint=book(manifest).fingerprint)
    record = inputs_of(log, line, 1)
    open_end, last_turn = open_end_of(line, record)
    past = Past(
        line=((1, opened),),
        inputs=tuple([one for one in record if type(one.event) is not Rules]),
        rolls=rolls_of(line, 0),
        witnesses=witnesses_of(line, 0),
        open_end=open_end,
        last_turn=last_turn,
    )
    rerun = Rerun(book, log, past, Throwaway(seed), 1)
    rerun.run()
    before, after = fold_all(line), rerun.exchange.state
    return WhatIf(
        session=first.session if log.opened is None else log.opened.session,
        version=log.head,
        changed=changed_steps(rerun.reached(log, line), [event for made in rerun.made for event, _ in made.events]),
        differences=differences(before, after),
        dropped=tuple([one for one in rerun.outcomes if one.code != "done"]),
        drawn=tuple([slot(roll) for roll in rerun.drawn]),
        stopped=rerun.stopped,
        before=before.over,
        after=after.over,
    )


__all__ = ["Throwaway", "WhatIf", "what_if"]
