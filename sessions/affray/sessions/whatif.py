"""What if these fights had been played under other rules? For one ledger, and summed up over many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from affray.kernel import Chain, InputError, Json, Log, Manifest, WhatIf, what_if

from .catalog import Catalog


class OtherRules(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be otherwise: options over a bundle over the log's own, and house rules (None: the log's own).

    Every plugin is taken in the release that is installed.
    """

    options: dict[str, Json] = {}
    bundle: str = ""
    house: tuple[str, ...] | None = None
    seed: str = ""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What other rules do to many fights.

    `endings` counts pairs of endings that are not the same ("won-by-red -> won-by-blue"), `steps` the fights in which
    a step of that kind and key came out otherwise, `stopped` why runs ended early.
    """

    fights: int
    same: int
    changed: int
    unplayed: int
    endings: dict[str, int]
    steps: dict[str, int]
    stopped: dict[str, int]


def manifest_of(catalog: Catalog, old: Manifest, other: OtherRules) -> Manifest:
    """The manifest that a log is to be played again under. Raises PluginUnavailable, InputError."""
    house = [pin.id for pin in old.house] if other.house is None else other.house
    own: Mapping[str, Json] = {} if other.bundle else old.options
    return catalog.manifest(old.system.id, {**own, **other.options}, house, other.bundle)


def what_if_ledger(lines: Iterable[bytes], catalog: Catalog, other: OtherRules, where: str = "") -> WhatIf:
    """Play a ledger again, header first. Raises Damaged, InputError, PluginUnavailable, Breach."""
    stream = iter(lines)
    chain, log = Chain(next(stream, b""), where=where), Log()
    for line in stream:
        log.add(chain.accept(line))
    state_manifest = next((event.manifest for _, event in reversed(log.line()) if hasattr(event, "manifest")), None)
    if state_manifest is None:
        raise InputError("the log does not begin with `open`", path=where or "session")
    return what_if(log, catalog.rules, manifest_of(catalog, state_manifest, other), seed=other.seed)


def summed_up(found: Sequence[WhatIf | None]) -> Summary:
    """What came of many; None for one that could not be played."""
    played = [one for one in found if one is not None]
    endings = Counter(f"{one.before or 'open'} -> {one.after or 'open'}" for one in played if one.before != one.after)
    steps: Counter[str] = Counter()
    for one in played:
        steps.update({_kind(step.slot) for step in one.changed})
    return Summary(
        fights=len(found),
        same=sum(one.is_same for one in played),
        changed=sum(not one.is_same for one in played),
        unplayed=len(found) - len(played),
        endings=dict(endings.most_common()),
        steps=dict(sorted(steps.items(), key=lambda pair: (-pair[1], pair[0]))),
        stopped=dict(Counter(one.stopped.why for one in played if one.stopped is not None).most_common()),
    )


def _kind(slot: str) -> str:
    """Which step a slot is of, whoever it is about: its kind and key."""
    return ".".join(slot.partition("|")[2].split(".")[:2])


__all__ = ["OtherRules", "Summary", "manifest_of", "summed_up", "what_if_ledger"]
