"""Upgrades of old events, tried on samples: what comes out is an event of now, and nothing is lost on the way twice."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import msgspec

from ..canonical import canonical, decode
from ..events import AnyEvent
from ..inputs import check_json
from ..upcast import UPCASTERS, Upcasters
from ..values import Json
from .findings import Tally


def check_upcasters(samples: Iterable[dict[str, Json]], tally: Tally, upcasters: Upcasters = UPCASTERS, *, plugin: str = "kernel") -> None:
    """Upgrade each sample of an old schema and tell what is wrong with what comes of it.

    An upgrade must not change what it is given, must give the same twice, and must give an event of the present schema whose
    bytes read back to it; upgrading that changes nothing more.
    """
    for sample in samples:
        tag = str(sample.get("kind"))
        problem = _problem(sample, tag, upcasters)
        if problem:
            tally.add("upcaster", plugin, "upgrade", problem, tag)


def _problem(sample: dict[str, Json], tag: str, upcasters: Upcasters) -> str:
    given = copy.deepcopy(sample)
    if not (upcasters.knows(tag) or tag in upcasters.current):
        return f"no upgrade is known for {tag!r}"
    try:
        new = upcasters.upgrade(given)
        again = upcasters.upgrade(copy.deepcopy(sample))
    except Exception as error:
        return f"raised {error!r}"
    if given != sample:
        return f"changed the event of kind {tag!r} that it was given"
    if new != again:
        return f"gives something else the second time for {tag!r}"
    try:
        check_json(new)
        event = msgspec.convert(new, AnyEvent)
    except Exception as error:
        return f"gives no event of now for {tag!r}: {error}"
    back = decode(canonical(event))
    if upcasters.upgrade(dict(back)) != back or msgspec.convert(back, AnyEvent) != event:
        return f"the event that {tag!r} becomes does not read back from its bytes"
    return ""


__all__ = ["check_upcasters"]
