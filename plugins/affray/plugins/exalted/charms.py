"""Charms and artifacts as data: what acts on a Defense Value, from whom, and what a sheet may hold (exalted.md, 1 D and 1 E).

A row that contradicts the page's table of signs cannot be made: decoding names its path, making one raises ValueError.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

import msgspec

from affray.kernel import Num, exact, is_number

from .bounds import AMOUNT_MAX, LIST_MAX, PART_MAX, SCORE_MAX

Who = Literal["self", "ally", "enemy"]
"""From whom, as the defender sees it."""

Op = Literal["add", "mul", "div"]

Penalty = Literal["wound", "mobility", "shield_mobility", "action", "onslaught", "terrain", "ground", "c_other"]
"""What a charm may let its owner ignore. Only a penalty is dropped, never a bonus (ambiguities 9 and 10)."""

Use = Literal["always", "defence", "after-roll", "attack", "reroll", "counterattack"]
"""When a charm acts: at all times, when a defence is declared (step 2), after the roll (step 6), in an attack that names
it (step 1), to throw the attack again (step 4), to strike back (step 9)."""

Guard = Literal["dodge", "parry", "both"]

Effects = Literal["add", "mul", "div", "set", "dice", "ignore", "applicable"]


class CharmRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One row of step E. `add`: any sign from self, 0 or more from an ally, 0 or less from an enemy; factors above 0."""

    who: Who
    op: Op
    value: Num
    code: str = "charm"
    source: str = "sheet"

    def __post_init__(self) -> None:
        _check_amount(self.op, self.value)
        if self.op == "add" and self.who == "ally" and exact(self.value) < 0:
            raise ValueError(f"value of an ally's `add` must be 0 or more, got {self.value}")
        if self.op == "add" and self.who == "enemy" and exact(self.value) > 0:
            raise ValueError(f"value of an enemy's `add` must be 0 or less, got {self.value}")


class MagicRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One row of step D: magic that is no charm, or a charm that ignores the cap (ambiguity 21)."""

    op: Op
    value: Num
    code: str = "magic"
    source: str = "sheet"

    def __post_init__(self) -> None:
        _check_amount(self.op, self.value)


class SetRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An own charm that sets the value after step E, outside the cap (ambiguity 18)."""

    value: Num
    code: str = "charm"
    source: str = "sheet"

    def __post_init__(self) -> None:
        _check_amount("add", self.value)
        if exact(self.value) < 0:
            raise ValueError(f"value of `set` must be 0 or more, got {self.value}")


class Artifact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An artifact's power over Defense Values (step D). A bracer's or weapon's own rating belongs elsewhere (ambiguity 28)."""

    key: str
    op: Op = "add"
    value: Num
    guard: Guard = "both"

    def __post_init__(self) -> None:
        _check_amount(self.op, self.value)


class Effect(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing a charm does.

    - `add`, `mul`, `div` on `dv` are rows of step E: the owner's own, or, in a charm of use `attack`, an enemy's.
    - `add` on `attack` (dice), `successes` (external) or `damage` (raw) changes the owner's attack.
    - `set` gives `dv` this value after step E, outside the cap; used only under the option `set_charms` (ambiguity 18).
    - `dice` throws so many dice; each success is +1 on `dv` (First Excellency, ambiguity 20).
    - `ignore` drops the penalties named in `penalties`; `applicable` makes an inapplicable defence applicable (ambiguity 6).

    A charm that both adds and multiplies has two effects (ambiguity 13).
    """

    op: Effects
    value: Num = 0
    on: Literal["dv", "attack", "successes", "damage"] = "dv"
    penalties: tuple[Penalty, ...] = ()

    def __post_init__(self) -> None:
        if self.op in ("add", "mul", "div"):
            _check_amount(self.op, self.value)
        if self.op == "set":
            SetRow(value=self.value)
        if self.op == "dice" and not (isinstance(self.value, int) and 1 <= self.value <= LIST_MAX):
            raise ValueError(f"value of `dice` must be 1 to {LIST_MAX}, got {self.value}")
        if self.on != "dv" and self.op != "add":
            raise ValueError(f"op on {self.on} must be `add`, got {self.op!r}")
        if self.on != "dv" and type(self.value) is not int:
            raise ValueError(f"value on {self.on} must be whole, got {self.value!r}")
        if (self.op == "ignore") != bool(self.penalties):
            raise ValueError("penalties belong to `ignore`, and `ignore` names some")


class Charm(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A charm of a sheet. `guard` says which defences it helps; `uncapped` moves its rows to step D.

    `times` says how often it may be used on one defence or in one attack, each time for its cost (Excellencies, 3.4).
    """

    key: str
    use: Use = "always"
    effects: Annotated[tuple[Effect, ...], msgspec.Meta(max_length=LIST_MAX)] = ()
    guard: Guard = "both"
    uncapped: bool = False
    times: Annotated[int, msgspec.Meta(ge=1, le=LIST_MAX)] = 1
    motes: Annotated[int, msgspec.Meta(ge=0, le=SCORE_MAX)] = 0
    willpower: Annotated[int, msgspec.Meta(ge=0, le=SCORE_MAX)] = 0

    def __post_init__(self) -> None:
        for number, effect in enumerate(self.effects):
            problem = self._problem(effect)
            if problem:
                raise ValueError(f"effects[{number}].{problem}")

        if self.times > 1 and self.use not in ("defence", "after-roll", "attack"):
            raise ValueError(f"times must be 1 for a charm of use {self.use}, got {self.times}")

    def _problem(self, effect: Effect) -> str:
        if self.use in ("reroll", "counterattack"):
            return f"op: a charm of use {self.use} has no effects"
        if effect.on != "dv" and self.use != "attack":
            return f"on: only a charm of use attack acts on {effect.on}"
        if self.use == "attack" and effect.on == "dv":
            if effect.op not in ("add", "mul", "div"):
                return f"op: {effect.op!r} helps a defender, not an attack"
            if self.uncapped:
                return "op: only the defender's charms can ignore the cap"
            if effect.op == "add" and exact(effect.value) > 0:
                return f"value: an enemy's `add` must be 0 or less, got {effect.value}"
        if effect.op == "dice" and self.use == "always":
            return "op: dice are thrown when a charm is used, not always"
        if self.uncapped and effect.op == "dice":
            return "op: dice count in step E, under the cap"
        if effect.op == "set" and self.use not in ("defence", "after-roll"):
            return "op: a value is set by a charm that is used on a defence or after the roll"
        if effect.op == "applicable" and self.use == "after-roll":
            return "op: whether a defence applies is settled before step A"
        return ""

    @property
    def is_on_dv(self) -> bool:
        """Whether it acts in step E, so that L has to be known."""
        return not self.uncapped and any(
            effect.on == "dv" and effect.op in ("add", "mul", "div", "dice") for effect in self.effects
        )

    @property
    def dice(self) -> int:
        """Dice that each use throws on a defence."""
        return sum(int(effect.value) for effect in self.effects if effect.op == "dice")

    @property
    def sets(self) -> bool:
        """Whether it sets a Defense Value, which an option has to allow (ambiguity 18)."""
        return any(effect.op == "set" for effect in self.effects)

    def helps(self, guard: str) -> bool:
        """Tell whether it helps this defence."""
        return self.guard in ("both", guard)


def _check_amount(op: str, value: Num) -> None:
    if not is_number(value):
        raise ValueError(f'value must be whole or "p/q" in lowest terms, got {value!r}')
    amount = Fraction(exact(value))
    if op == "add":
        if abs(amount) > AMOUNT_MAX or amount.denominator > PART_MAX:
            raise ValueError(f"value must lie within {AMOUNT_MAX} either way, q at most {PART_MAX}, got {value}")
    elif not 0 < amount.numerator <= PART_MAX or amount.denominator > PART_MAX:  # factor 0: ambiguity 18
        raise ValueError(f"value of a factor must be above 0, p and q at most {PART_MAX}, got {value}")
