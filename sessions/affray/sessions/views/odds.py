"""Odds as lines of text, and as a document for programs.

Probabilities are told in percent with one decimal, and as the exact fraction in the document. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

import msgspec

from affray.kernel import ActionOutcome, Chance, Interval, Num, Odds, State, commands, exact

from .texts import Texts, columns, listed, printable

CONDITIONS_SHOWN = 12
"""Conditions of one table; the document has all."""

REACHED = ((2, "half the time"), (10, "1 time in 10"), (100, "1 time in 100"))
"""How often the damage that is told is reached."""

TENTHS = 1000
"""Tenths of a percent in all."""


class Likely(msgspec.Struct, frozen=True, kw_only=True):
    """A probability: the fraction, percent with one decimal, and between which fractions it lies (null: exactly)."""

    probability: str
    percent: str
    low: str | None
    high: str | None


class LikelyCode(Likely, frozen=True, kw_only=True):
    """How likely an outcome code is."""

    code: str


class LikelyEnd(Likely, frozen=True, kw_only=True):
    """How likely one outcome is, with all that comes of it: `pools` are differences."""

    code: str
    over: str
    damage: dict[str, Num]
    pools: dict[str, dict[str, Num]]
    gained: dict[str, dict[str, Num | None]]
    ended: dict[str, tuple[str, ...]]


class Hurt(msgspec.Struct, frozen=True, kw_only=True):
    """The damage to expect for one target, as a fraction and with one decimal."""

    who: str
    expected: str
    rounded: str
    low: str | None
    high: str | None


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody answers in thought, and what there was to answer."""

    who: str
    key: str
    codes: tuple[str, ...]
    offered: tuple[str, ...]


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """The odds under one way of answering. `samples` is 0 where they are exact."""

    exact: bool
    executions: int
    samples: int
    answers: tuple[Answered, ...]
    codes: tuple[LikelyCode, ...]
    damage: tuple[Hurt, ...]
    outcomes: tuple[LikelyEnd, ...]


def told(odds: Odds) -> Told:
    """The odds as values for programs."""
    return Told(
        exact=odds.is_exact,
        executions=odds.executions,
        samples=odds.samples,
        answers=tuple([Answered(who=t.who, key=t.key, codes=t.codes, offered=t.offered) for t in odds.choices]),
        codes=tuple([_code(odds, code, interval) for code, interval in odds.codes().items()]),
        damage=tuple([_hurt(odds, who) for who in odds.targets()]),
        outcomes=tuple([_end(odds, one) for one in odds.chances]),
    )


def _code(odds: Odds, code: str, one: Interval) -> LikelyCode:
    low, high = _bounds(odds, one)
    return LikelyCode(code=code, probability=str(one.value), percent=percent(one.value), low=low, high=high)


def _bounds(odds: Odds, one: Interval) -> tuple[str | None, str | None]:
    return (None, None) if odds.is_exact else (str(one.low), str(one.high))


def _hurt(odds: Odds, who: str) -> Hurt:
    damage = odds.damage(who)
    low, high = _bounds(odds, damage)
    return Hurt(who=who, expected=str(damage.value), rounded=decimal(damage.value), low=low, high=high)


def _end(odds: Odds, one: Chance) -> LikelyEnd:
    outcome = one.outcome
    pools: dict[str, dict[str, Num]] = {}
    gained: dict[str, dict[str, Num | None]] = {}
    ended: dict[str, tuple[str, ...]] = {}
    for who, pool, by in outcome.pools:
        pools.setdefault(who, {})[pool] = by
    for who, condition, value in outcome.gained:
        gained.setdefault(who, {})[condition] = value
    for who, condition in outcome.ended:
        ended[who] = (*ended.get(who, ()), condition)
    low, high = _bounds(odds, one.interval)
    return LikelyEnd(
        code=outcome.code,
        probability=str(one.probability),
        percent=percent(one.probability),
        low=low,
        high=high,
        over=outcome.over,
        damage=dict(outcome.damage),
        pools=pools,
        gained=gained,
        ended=ended,
    )


# -- numbers as people read them


def percent(value: Fraction) -> str:
    """A probability in percent, "58.5"; "<0.1" and ">99.9" where rounding would say never or always."""
    tenths = round(value * TENTHS)
    if not tenths and value:
        return "<0.1"
    if tenths == TENTHS and value < 1:
        return ">99.9"
    return f"{tenths // 10}.{tenths % 10}"


def decimal(value: Fraction) -> str:
    """A number with one decimal."""
    tenths = round(abs(value) * 10)
    return f"{'-' if value < 0 and tenths else ''}{tenths // 10}.{tenths % 10}"


def _chance(odds: Odds, one: Interval) -> str:
    if odds.is_exact:
        return f"{percent(one.value)} %"
    return f"{percent(one.value)} % ({percent(one.low)} to {percent(one.high)} %)"


# -- lines


def title(action: commands.Declare, version: int, state: State, texts: Texts) -> str:
    """What the odds are about."""
    at = f" at {listed([_name(state, who) for who in action.targets])}" if action.targets else ""
    return f"{_name(state, action.actor)}: {texts.word(action.name)}{at}, as the fight stands at version {version}"


def lines(odds: Odds, state: State, texts: Texts) -> Iterator[str]:
    """The odds as a table: outcomes, damage to expect, conditions, endings."""
    yield from _answers(odds, state, texts)
    rows = [(texts.word(code or "done"), one) for code, one in odds.codes().items()]
    yield from _table(rows, odds)
    for who in odds.targets():
        yield ""
        yield from _damage(odds, who, _name(state, who))
    for title, found in (("Conditions", _conditions(odds, state, texts)), ("Ends", _endings(odds, texts))):
        if found:
            yield ""
            yield title
            yield from _table(found[:CONDITIONS_SHOWN], odds, "  ")
            if len(found) > CONDITIONS_SHOWN:
                yield f"  and {len(found) - CONDITIONS_SHOWN} more (--json has all)"
    yield ""
    yield _how(odds)


def _answers(odds: Odds, state: State, texts: Texts) -> Iterator[str]:
    for one in odds.choices:
        others = [texts.word(code) for code in one.offered if code not in one.codes]
        rather = f", not {listed(others, 'or')}" if others else ""
        yield f"{_name(state, one.who)} answers {texts.word(one.key)}: {listed([texts.word(c) for c in one.codes], 'or')}{rather}"
    if odds.choices:
        yield ""


def _table(rows: Iterable[tuple[str, Interval]], odds: Odds, indent: str = "") -> Iterator[str]:
    cells = [(label, _chance(odds, one)) for label, one in rows]
    first = max([columns(label) for label, _ in cells], default=0)
    shown = [text.partition(" %")[0] for _, text in cells]
    second = max(map(len, shown), default=0)
    for (label, text), number in zip(cells, shown, strict=True):
        yield f"{indent}{label}{' ' * (first - columns(label))}  {' ' * (second - len(number))}{text}"


def _damage(odds: Odds, who: str, name: str) -> Iterator[str]:
    """The mean, and what is reached half the time and once in ten."""
    expected = odds.damage(who)
    some = odds.of(lambda outcome: bool(_dealt(outcome, who)))
    between = "" if odds.is_exact else f" ({decimal(expected.low)} to {decimal(expected.high)})"
    yield f"Damage to {name}: {decimal(expected.value)} on average{between}, any at all {_chance(odds, some)}"
    reached = [(text, _reached(odds, who, share)) for share, text in REACHED]
    told = [f"{text} {value} or more" for text, value in reached if value]
    if told:
        yield f"  {', '.join(told)}"


def _reached(odds: Odds, who: str, share: int) -> Fraction:
    """The damage that is reached once in so many times."""
    left = Fraction(1, share)
    values: dict[Fraction, Fraction] = {}
    for one in odds.chances:
        value = Fraction(_dealt(one.outcome, who))
        values[value] = values.get(value, Fraction(0)) + one.probability
    for value in sorted(values, reverse=True):
        left -= values[value]
        if left <= 0:
            return value
    return Fraction(0)


def _dealt(outcome: ActionOutcome, who: str) -> int | Fraction:
    return exact(dict(outcome.damage).get(who, 0))


def _conditions(odds: Odds, state: State, texts: Texts) -> list[tuple[str, Interval]]:
    """Conditions that come or go, the likeliest first; those that every outcome brings are no news."""
    found: dict[tuple[str, str, bool], None] = {}
    for one in odds.chances:
        found.update(dict.fromkeys([(who, name, True) for who, name, _ in one.outcome.gained]))
        found.update(dict.fromkeys([(who, name, False) for who, name in one.outcome.ended]))
    rows: list[tuple[str, Interval]] = []
    for who, name, is_gained in found:
        chance = odds.of(_has(who, name, is_gained))
        if chance.value < 1:
            ends = "" if is_gained else " ends"
            rows.append((f"{_name(state, who)}: {texts.word(name, 'condition')}{ends}", chance))
    return sorted(rows, key=lambda row: (-row[1].value, row[0]))


def _has(who: str, name: str, is_gained: bool) -> Callable[[ActionOutcome], bool]:
    if is_gained:
        return lambda outcome: any(row[:2] == (who, name) for row in outcome.gained)
    return lambda outcome: (who, name) in outcome.ended


def _endings(odds: Odds, texts: Texts) -> list[tuple[str, Interval]]:
    codes = dict.fromkeys([one.outcome.over for one in odds.chances if one.outcome.over])
    return [(f"the fight is over: {texts.word(code)}", odds.of(_is_over(code))) for code in codes]


def _is_over(code: str) -> Callable[[ActionOutcome], bool]:
    return lambda outcome: outcome.over == code


def _name(state: State, who: str) -> str:
    someone = state.combatants.get(who)
    return printable(someone.name) if someone is not None else who


def _how(odds: Odds) -> str:
    if odds.is_exact:
        return f"exact, by {odds.executions:,} executions"
    return f"estimated from {odds.samples:,} samples; each range holds the true value 95 times in 100"


__all__ = ["Told", "decimal", "lines", "percent", "title", "told"]
