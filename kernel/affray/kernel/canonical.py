"""Canonical bytes: RFC 8785, which for our values is JSON with sorted ASCII keys, no blanks and no floats (law 7)."""

from __future__ import annotations

from hashlib import sha256 as _sha256
from typing import Any, NoReturn

import msgspec


def no_float(text: str) -> NoReturn:
    """Refuse a number with a point or an exponent wherever one is read."""
    raise ValueError(f"a number with a point or an exponent: {text[:40]}")


encode = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder(float_hook=no_float).decode


def canonical(value: object) -> bytes:
    """The RFC 8785 bytes of a value made of structs, dicts with ASCII keys, tuples, lists, text, ints, bools and None."""
    return encode(value)


def decode(data: bytes | msgspec.Raw) -> Any:
    """Plain values from JSON. Raises msgspec errors or ValueError, also for nesting too deep to read."""
    try:
        return _decode(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def sha256(data: bytes) -> str:
    """SHA-256 in lower-case hex."""
    return _sha256(data).hexdigest()
