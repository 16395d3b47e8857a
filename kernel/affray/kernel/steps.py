"""The steps a resolver may yield (law 4). A step with its outcome filled in *is* an event body (law 6).

A resolver gives a step its key and what the rules know; the kernel fills in the rest: `action`, `occurrence`,
`by_rules`, faces and readings, before and after. A step is iterable, so that `swing = yield from Roll(...)` is a
`Roll` to a type checker; the value is the step as it was recorded, after every house rule.

`Act` is recorded as a nested `declare`, `EndTurn` as a `turn`, `Stop` as the `done` of another action.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, ClassVar, Self

import msgspec
from msgspec import UNSET, UnsetType

from .dice import DicePlan
from .numbers import Num
from .values import Entry, Json, Modifier, Option, Part, Touch, Trace, Veil, When

if TYPE_CHECKING:
    from .events import Done


def kebab(name: str) -> str:
    """The kind of an event class: `ApplyDamage` is "apply-damage"."""
    return re.sub(r"(?<!^)([A-Z])", r"-\1", name).lower()


class Event(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="kind",
    tag=kebab,
    forbid_unknown_fields=True,
    gc=False,
):
    """A fact in the log.

    `veil` says who may read which fields (only those listed in `KEPT` can be hidden); it stands in the kept part,
    never in the open bytes. `kept` is the SHA-256 of that part and is set where the part is missing: then the hidden
    fields are None, which means unknown.
    """

    KEPT: ClassVar[tuple[str, ...]] = ()
    PERSON: ClassVar[str] = ""

    veil: Veil | UnsetType = UNSET
    kept: str | UnsetType = UNSET


class _Keyed(Event, frozen=True, gc=False):
    key: str


class Step(_Keyed, frozen=True, kw_only=True, gc=False):
    """What every step has beside its key.

    `action` is the id of the run that made it, `occurrence` counts steps of one kind, key and person in that run
    from 0, `by_rules` names the house rules that changed it, in order.
    """

    action: str = ""
    occurrence: int = 0
    by_rules: tuple[str, ...] = ()

    def __iter__(self) -> Generator[Any, Any, Self]:
        answer: Self = yield self
        return answer


class Roll(Step, frozen=True, kw_only=True, gc=False):
    """Throw dice by a plan. Filled: one chain of faces a die, what does not count, and the reading.

    `notation` is what a person typed, with the arithmetic around the dice ("" if nobody did). `faces[d]` is the chain
    of die d: first, then rerolled and exploded; `dropped` lists (die, link) that do not count. `total` is the sum, the
    successes or the number of the band. `fault` is "" or what went wrong in the numbers ("division-by-zero"); then
    the action fails. `source` is engine, scripted, reported or imported; `reused` is the version of an earlier roll
    whose faces were kept (0: none). `blind` keeps the outcome from everybody but the game master. `trace` says where the
    number of dice in the plan comes from and adds up to it; a secret combatant's is kept. How many dice somebody throws
    is seen by all, as at a table: whoever wants to hide that too acts in secret.
    """

    KEPT = ("faces", "dropped", "total", "botch", "trace")
    PERSON = "by"

    by: str
    plan: DicePlan
    notation: str = ""
    blind: bool = False
    trace: Trace | None = ()
    faces: tuple[tuple[int, ...], ...] | None = None
    dropped: tuple[tuple[int, int], ...] | None = None
    total: Num | None = None
    botch: bool | None = None
    fault: str = ""
    source: str = ""
    reused: int = 0


class Ask(Step, frozen=True, kw_only=True, gc=False):
    """Ask people (who answer in any order). With a plan instead of options: dice to be reported.

    Answered by one `choose` or one reported `roll` a person; a resolver gets the answer, or a dict of answers in the
    order asked when several were; an answer of None means the person left. `private` keeps options and values from
    everybody but those asked.
    """

    KEPT = ("options",)

    who: tuple[str, ...]
    options: tuple[Option, ...] | None = ()
    plan: DicePlan | None = None
    notation: str = ""
    private: bool = False

    def __iter__(self) -> Generator[Any, Any, Any]:  # an ask is answered, not completed
        return (yield self)


class Defend(Step, frozen=True, kw_only=True, gc=False):
    """The defence as computed once the choice is known, again when something after the roll changes it.

    `against` is the attacker whose numbers went into it ("" for nobody's).
    """

    KEPT = ("value", "trace")
    PERSON = "who"

    who: str
    code: str
    value: Num | None
    trace: Trace | None = ()
    against: str = ""


class Judge(Step, frozen=True, kw_only=True, gc=False):
    """A verdict on `by`'s check, perhaps against somebody. The trace adds up to `goal`.

    `renews` says that what follows depends on no roll before this one: paths of one action with equal `renews` and
    equal state have equal futures (ties, rerolls), so that odds stay exact. "" says nothing.
    """

    KEPT = ("goal", "margin", "trace")
    PERSON = "by"

    by: str
    code: str
    goal: Num | None = 0
    margin: Num | None = 0
    trace: Trace | None = ()
    against: str = ""
    renews: str = ""


class ApplyDamage(Step, frozen=True, kw_only=True, gc=False):
    """Damage to the pools of one target, in the order given; what one cannot take goes on to the next.

    `value` is what is applied, explained by `parts` (one a damage type) or by `trace`. `roll` is the slot of the roll
    it used. Filled: `touched` (pools with before and after) and `overflow`, what no pool could take.
    """

    KEPT = ("parts", "trace", "touched", "overflow")
    PERSON = "target"

    target: str
    pools: tuple[str, ...]
    value: Num
    type: str = ""
    roll: str = ""
    parts: tuple[Part, ...] | None = ()
    trace: Trace | None = ()
    touched: tuple[Touch, ...] | None = None
    overflow: Num | None = None

    @property
    def after(self) -> Num | None:
        """The first pool's value afterwards; None where unknown."""
        return self.touched[0].after if self.touched else None


class Change(Step, frozen=True, kw_only=True, gc=False):
    """Any other pool change: cost, heal, gain. `value` is added; the pool's range clamps it. Filled: before, after, overflow."""

    KEPT = ("value", "trace", "before", "after", "overflow")
    PERSON = "target"

    target: str
    pool: str
    value: Num | None
    trace: Trace | None = ()
    before: Num | None = None
    after: Num | None = None
    overflow: Num | None = None


class Condition(Step, frozen=True, kw_only=True, gc=False):
    """A condition gained, renewed or ended (`code`). Filled: the value before (None: not had) and after (None: ended)."""

    KEPT = ("value", "rows", "before", "after")
    PERSON = "target"

    target: str
    id: str
    code: str = "gained"
    value: Num | None = 1
    until: When | None = None
    rows: tuple[Modifier, ...] | None = ()
    source: str = ""
    before: Num | None = None
    after: Num | None = None


class Save(Step, frozen=True, kw_only=True, gc=False):
    """A saving roll's result: `name` of the save, `code` of the outcome, goal with trace, the roll's slot, consequences."""

    KEPT = ("goal", "margin", "trace")
    PERSON = "who"

    who: str
    name: str
    code: str
    goal: Num | None = 0
    margin: Num | None = 0
    trace: Trace | None = ()
    roll: str = ""
    consequences: tuple[str, ...] = ()


class Order(Step, frozen=True, kw_only=True, gc=False):
    """Set or drop entries of the agenda, with the trace that produced them."""

    KEPT = ("trace",)

    entries: tuple[Entry, ...] = ()
    drop: tuple[str, ...] = ()
    trace: Trace | None = ()


class Wait(Step, frozen=True, kw_only=True, gc=False):
    """The action goes on at a later moment; until then it is pending and others may act."""

    when: When


class Act(Step, frozen=True, kw_only=True, gc=False):
    """A nested action (counterattack, strike of a flurry), recorded as a `declare`; answered by its `done`."""

    PERSON = "targets"

    actor: str
    name: str
    targets: tuple[str, ...] = ()
    params: dict[str, Json] = {}
    rows: tuple[Modifier, ...] = ()

    def __iter__(self) -> Generator[Any, Any, Done]:  # type: ignore[override]  # answered by the action's end
        done: Done = yield self
        return done


class EndTurn(Step, frozen=True, kw_only=True, gc=False):
    """End somebody's turn, recorded as a `turn` of moment "end"."""

    PERSON = "who"

    who: str


class Stop(Step, frozen=True, kw_only=True, gc=False):
    """Close another open action, recorded as its `done` with this action as the cause."""

    target: str
    code: str

    def __iter__(self) -> Generator[Any, Any, Done]:  # type: ignore[override]  # answered by the other action's end
        done: Done = yield self
        return done
