"""Why somebody cannot do something now: what the rules do not offer, and what they would refuse.

A whole declaration is tried on a copy of the session in memory, with dice of its own: nothing is stored, and the dice
that will be thrown are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from affray.kernel import GM, Chain, Refused, Request, commands

from ...catalog import Catalog
from ...entropy import Secret, SystemEntropy
from ...session import Session
from ...stores.memory import MemoryStore

AFTER_THE_RULES = frozenset({"script-exhausted", "dice-capped", "dice-wait-for-nonce", "dice-epochs-used-up"})
"""Refusals of dice that are thrown once the rules allow it: on a copy they say nothing."""


def not_offered(session: Session, catalog: Catalog, who: str) -> Iterator[tuple[str, Refused]]:
    """The system's actions that somebody is not offered, each with the reason."""
    state = session.state(reader=GM)
    offered = {form.name for form in session.actions(who)}
    for name in catalog.rules(session.manifest).system.actions:
        if name in offered:
            continue
        if state.over:
            yield name, Refused("over", (state.over,))
        elif state.prompts:
            yield name, Refused("prompt-open", (next(iter(state.prompts)),))
        elif not state.began:
            yield name, Refused("not-begun")
        else:
            yield name, Refused("not-allowed" if state.turn == who else "not-your-turn", (who, name))


def would_refuse(session: Session, catalog: Catalog, command: commands.Declare) -> Refused | None:
    """Why a declaration would be refused; None when nothing stands against it. Raises InputError for one that is not whole."""
    entropy = SystemEntropy()
    chain = Chain(session.header)
    store = MemoryStore()
    secret = Secret(open=entropy.seed().hex(), kept=entropy.seed().hex())
    store.create(session.header, [chain.accept(line) for line in session.lines], msgspec.json.encode(secret))
    copy = Session(store, catalog, entropy, session.id)
    refused = copy.do(Request(id=f"try-{entropy.name()}", command=command)).refused
    return None if refused is not None and refused.code in AFTER_THE_RULES else refused


__all__ = ["not_offered", "would_refuse"]
