"""The engine: a store plus the rules plugins of this environment. It starts, loads and carries on sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from affray.kernel import (
    GM,
    Chain,
    Commit,
    InputError,
    Json,
    Log,
    Manifest,
    Open,
    Origin,
    Sender,
    chain_secret,
    check_id,
    check_json,
    check_text,
    commands,
    header_line,
    limits,
    sha256,
    through_bytes,
    write_commit,
)

from .catalog import Catalog
from .entropy import POLICIES, UNDO_DICE, Entropy, Secret, SystemEntropy
from .logs import get_logger
from .session import Session
from .stores import Store
from .summary import Summary, summary


class Engine:
    """Where sessions come from. One engine may serve any number of sessions of one store."""

    def __init__(self, store: Store, catalog: Catalog | None = None, entropy: Entropy | None = None) -> None:
        self.store = store
        self.catalog = catalog or Catalog()
        self.entropy: Entropy = entropy or SystemEntropy()

    def start(
        self,
        system: str,
        *,
        title: str = "",
        options: Mapping[str, Json] | None = None,
        bundle: str = "",
        house: Iterable[str] = (),
        dice: str | Mapping[str, str] = "fair",
        undo_dice: str = "redraw",
        witness: bool = False,
        script: Sequence[int] = (),
        session: str = "",
    ) -> Session:
        """Start a session under a system.

        `bundle` names a set of options that the system offers; `options` go over it.
        `dice` is one policy for all, or one a controller ("*" for all others): fair, reported, scripted (faces from
        `script`, refused when it runs out) or scripted-then-fair. `undo_dice` is redraw, keep or forbid. With
        `witness`, dice wait for a nonce of another player than the one who chose. `session` is an id of your choice. Raises PluginUnavailable, InputError, SessionExists, StoreError; nothing is stored then.
        """
        check_json(dict(options or {}), "$.options")
        manifest = self.catalog.manifest(system, options or {}, house, bundle)
        policies = {"*": dice} if isinstance(dice, str) else {"*": "fair", **dice}
        return self._open(manifest, title, policies, undo_dice, witness, tuple(script), session, None)

    def load(self, session: str) -> Session:
        """Load a session from the store. Raises NoSuchSession, Damaged, UnknownKind."""
        return Session(self.store, self.catalog, self.entropy, session)

    def summary(self, session: str) -> Summary:
        """How a session stands, as everybody may see it, without reading more of it than is needed.

        Raises NoSuchSession, Damaged, UnknownKind, StoreError.
        """
        return summary(self.store, session)

    def carry_on(self, old: Session, *, title: str = "", session: str = "") -> Session:
        """Start a new fight with everybody who is still in an old one, as they ended it.

        Same rules and dice policies; combatants join with the pools they have now and with the conditions that have no
        end in time (a moment of the old clock means nothing to the new one).
        """
        state = old.state(reader=GM)
        if state.manifest is None or old.is_copy:
            raise InputError("a copy without its kept parts cannot be carried on", path="session", value=old.id)
        origin = Origin(how="carry-on", session=old.id, version=old.head, digest=old.digest)
        policies = {who: policy.replace("scripted-then-", "") for who, policy in state.dice.items()}
        fresh = self._open(
            state.manifest, title or state.title, policies, state.undo_dice, old.is_witnessed, (), session, origin
        )
        for one in state.combatants.values():
            if one.gone:
                continue
            command = commands.Join(
                id=one.id,
                name=one.name,
                side=one.side,
                controller=one.controller,
                sheet=dict(one.sheet or {}),
                pools={name: value for name, value in one.pools.items() if value is not None},
                conditions=tuple(held for held in one.conditions.values() if held.until is None),
                secret=one.secret,
            )
            fresh.request(command, id=f"carry-{one.number}")
        return fresh

    def fork(self, old: Session, at: int | None = None, *, title: str = "", session: str = "") -> Session:
        """Start a session that begins as an old one did, up to a version, and goes on by itself.

        It holds the old one's commits byte for byte, kept parts and all, and dice of its own: where players sent nonces they
        wait for another one. `at` is the end of a commit (default: the newest). Raises InputError, SessionExists, StoreError.
        """
        if old.is_copy:
            raise InputError("a copy without its kept parts cannot be forked", path="session", value=old.id)
        if at is not None and at < 1:
            raise InputError("a fork begins with the origin's `open` at least", path="version", value=at)
        chain = Chain(old.header)
        commits: list[Commit] = []
        log = Log()
        for line in old.lines:
            if commits and chain.version == at:
                break
            commits.append(chain.accept(line))
            log.add(commits[-1])
        if (at is not None and chain.version != at) or log.ends[-1] != chain.version:
            ends = [end for end in old.ends if at is None or end < at]
            raise InputError(f"no command ends there; the last before it ends at {ends[-1]}", path="version", value=at)
        state = old.state(chain.version, reader=GM)
        assert state.manifest is not None, "a log begins with `open`"
        origin = Origin(how="fork", session=chain.session, version=chain.version, digest=chain.digest)
        policies = {who: "fair" if policy.startswith("scripted") else policy for who, policy in state.dice.items()}
        name, witness = title or state.title, old.is_witnessed
        return self._open(
            state.manifest, name, policies, state.undo_dice, witness, (), session, origin, commits, old.header
        )

    def _open(
        self,
        manifest: Manifest,
        title: str,
        policies: Mapping[str, str],
        undo_dice: str,
        witness: bool,
        script: tuple[int, ...],
        session: str,
        origin: Origin | None,
        before: Sequence[Commit] = (),
        header: bytes = b"",
    ) -> Session:
        rules = self.catalog.rules(manifest)
        name = check_id(session or f"{manifest.system.id}-{self.entropy.name()}", "a session's id", "$.session")
        check_text(title, "$.title", empty=True)
        for who, policy in policies.items():
            if policy not in POLICIES:
                raise InputError(f"no such dice policy; there are {', '.join(POLICIES)}", path=f"$.dice.{who}", value=policy)
            if who != "*":
                check_id(who, "a controller", "$.dice")
        if undo_dice not in UNDO_DICE:
            raise InputError(f"must be one of {', '.join(UNDO_DICE)}", path="$.undo_dice", value=undo_dice)
        if any(type(face) is not int or face < 1 for face in script):
            raise InputError("faces are whole numbers from 1", path="$.script", value=script)
        seeds = (self.entropy.seed(), self.entropy.seed())
        length = limits.DICE_EPOCHS
        chain, kept_chain = (chain_secret(seed, length, 0).hex() for seed in seeds)
        event = Open(
            session=name,
            title=title,
            manifest=manifest,
            fingerprint=rules.fingerprint,
            dice=dict(policies),
            undo_dice=undo_dice,
            witness=witness,
            chain=chain,
            kept_chain=kept_chain,
            epochs=length,
            origin=origin,
        )
        header = header or header_line(name)
        sender = Sender(
            caller=GM, on_behalf="", seen=-1, command=f"fork~{before[-1].last}" if before else "open", digest="", part=0, time=self.entropy.now()
        )
        commit = write_commit(
            session=name,
            first=before[-1].last + 1 if before else 1,
            previous=before[-1].digest if before else sha256(header),
            events=[through_bytes(event)],
            sender=sender,
            salt=self.entropy.salt,
        )
        secret = Secret(open=seeds[0].hex(), kept=seeds[1].hex(), script=script)
        self.store.create(header, (*before, commit), msgspec.json.encode(secret))
        get_logger().info("session started", session=name, system=manifest.system.id)
        return self.load(name)


__all__ = ["Engine"]
