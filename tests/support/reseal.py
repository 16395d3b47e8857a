"""A host that rewrites its own log: events changed, then every seal and digest made good again.

Knows the format from sessions/FORMAT.md, not from the ledger, so that a mistake of the one is not repeated here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any


def reseal(lines: Sequence[bytes], change: Callable[[int, dict[str, Any]], None]) -> list[bytes]:
    """Lines, header first, with every event gone through `change(version, event)`, which edits it in place."""
    header, *rest = lines
    found, previous, version = [header], sha256(header).hexdigest(), 0
    for line in rest:
        commit = json.loads(line)
        for event in commit["events"]:
            version += 1
            change(version, event)
        commit["envelope"]["seals"] = [sha256(_bytes(event)).hexdigest() for event in commit["events"]]
        commit["envelope"]["previous"] = previous
        commit["digest"] = previous = sha256(_bytes(commit["envelope"])).hexdigest()
        found.append(_bytes(commit))
    return found


def _bytes(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


__all__ = ["reseal"]
