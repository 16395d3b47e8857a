"""Exact numbers to and from the log (law 7). The only module that converts.

In the log a number is an int or, when it is not whole, the text "p/q" in lowest terms with q > 1; numerator
and denominator stay within `limits.NUMBER_MAX`. Systems compute with int and Fraction. Floats do not exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from math import gcd

from .errors import InputError
from .limits import NUMBER_MAX

Num = int | str
"""A number as the log holds it: an int, or "p/q" in lowest terms."""

Exact = int | Fraction
"""A number as a system computes with it."""

_RATIO = re.compile(r"(-?[1-9][0-9]{0,15})/([1-9][0-9]{0,15})", re.ASCII)


def exact(value: Num) -> Exact:
    """Read a number of the log.

    Raises InputError for a text that is not "p/q" in lowest terms, a bool, a float, or anything out of range.
    """
    if type(value) is int:
        if -NUMBER_MAX <= value <= NUMBER_MAX:
            return value
    elif type(value) is str and (match := _RATIO.fullmatch(value)):
        top, bottom = int(match[1]), int(match[2])
        if bottom > 1 and gcd(top, bottom) == 1 and abs(top) <= NUMBER_MAX and bottom <= NUMBER_MAX:
            return Fraction(top, bottom)
    raise InputError("not an exact number (an int or \"p/q\" in lowest terms, within 2^53 - 1)", value=value)


def number(value: Exact) -> Num:
    """Write a number for the log. Raises InputError when it is out of range or not an int or Fraction."""
    if type(value) is int:
        if -NUMBER_MAX <= value <= NUMBER_MAX:
            return value
    elif type(value) is Fraction:
        top, bottom = value.numerator, value.denominator
        if abs(top) <= NUMBER_MAX and bottom <= NUMBER_MAX:
            return top if bottom == 1 else f"{top}/{bottom}"
    raise InputError("not an exact number within 2^53 - 1", value=value)


def total(values: Iterable[Num]) -> Exact:
    """Add numbers of the log exactly."""
    result: Exact = 0
    for value in values:
        result += value if type(value) is int else exact(value)
    return result


def is_number(value: object) -> bool:
    """Tell whether a value of the log is a well-formed exact number."""
    if type(value) is int:
        return -NUMBER_MAX <= value <= NUMBER_MAX
    try:
        exact(value)  # type: ignore[arg-type]  # that is the question
    except InputError:
        return False
    return True
