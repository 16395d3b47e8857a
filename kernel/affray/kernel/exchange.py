"""All open actions of a fight: `propose` names the next event, `feed` takes one in (law 6).

Live play feeds what was proposed; resuming feeds the record; auditing does both and compares; amending feeds changed
inputs; odds propose with enumerated dice. Nothing here draws, stores or knows who is asking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from .chains import Chains
from .dice import check_faces, read
from .draws import Dice, Drawn, Unwitnessed
from .drift import compare
from .errors import Breach, InputError, RefusedInside, RulesDrifted
from .events import KINDS, Choose, Close, Declare, Done, Leave, Turn
from .fold import fold
from .log import Pair, opens_run, run_number
from .names import RESUME, WITNESS, place, root, slot
from .rules import Rules
from .runs import Action, Moment, Run, close, expire, nothing
from .state import Fight, State, least
from .steps import Act, Ask, EndTurn, Roll, Stop, Wait
from .values import Manifest
from .veil import veil
from .witness import ask_witness

_OUTSIDE = frozenset(kind for kind in KINDS.values() if "action" not in kind.__struct_fields__)
"""Kinds that belong to no run."""

_ACTS = frozenset({Act, EndTurn, Stop})
"""Steps that are recorded as something else than themselves."""


RuleBook = Callable[[Manifest], Rules]
"""Gives the rules of a manifest. Raises PluginUnavailable."""

Versions = Iterable[int]


class Exchange(Chains):
    """Runs resolvers against a fight.

    `openings` and `secret_openings` are the versions that opened runs in the whole log, so that a run keeps its number.
    With `tracked`, only those root actions are executed and everything else is folded (resuming); None executes all.
    """

    def __init__(
        self,
        book: RuleBook,
        state: State,
        *,
        head: int = 0,
        openings: Versions = (),
        secret_openings: Versions = (),
        tracked: set[str] | None = None,
    ) -> None:
        super().__init__(state)
        self._book = book
        self.head = head
        self.openings = list(openings)
        self.secret_openings = list(secret_openings)
        self._tracked = tracked
        self._windows: dict[Rules, Fight] = {}
        self._rules: Rules | None = None
        self._manifest: Manifest | None = None
        self.dice: Dice | None = None

    @classmethod
    def resume(
        cls,
        book: RuleBook,
        pairs: list[Pair],
        *,
        head: int,
        openings: Versions,
        secret_openings: Versions = (),
        base: State | None = None,
    ) -> Exchange:
        """The exchange at the end of a line of (version, event) pairs.

        Starts just before the oldest open action and feeds the record; actions that are closed are only folded.
        `base` is the state before the pairs (None: the line is whole), in which nothing is open that stays open.
        Raises RulesDrifted when a resolver no longer makes what was recorded, PluginUnavailable.
        """
        now = State() if base is None else base
        before: dict[str, tuple[int, State]] = {}
        for index, (version, event) in enumerate(pairs):
            if opens_run(event):
                before[event.action] = (index, now)
            now = fold(now, event, version)
        if not now.open:
            return cls(book, now, head=head, openings=openings, secret_openings=secret_openings)
        start, state = min((before[name] for name in now.open), key=lambda found: found[0])
        tracked = set(now.open)
        exchange = cls(book, state, openings=openings, secret_openings=secret_openings, tracked=tracked)
        for version, event in pairs[start:]:
            exchange.feed(event, version)
        exchange._tracked = None
        exchange.head = head
        return exchange

    # -- for those who follow a log (`reenact.py`)

    @property
    def active(self) -> str:
        """The root action whose step or answer is due, "" when none is."""
        return self._active

    def only_fold(self, event: Any, version: int) -> None:
        """Take an event in without handing it to any run."""
        self.head = version
        self.state = fold(self.state, event, version)
        for fight in self._windows.values():
            fight.state = self.state

    def forget(self, name: str) -> None:
        """Run a root action no further; what is recorded of it is to be folded only."""
        if name in self._chains:
            self._drop(name)

    def track_all(self) -> None:
        """Execute whatever opens from here on, not only what was named at first."""
        self._tracked = None

    # -- what stands now

    @property
    def rules(self) -> Rules:
        """The rules in force now."""
        manifest = self.state.manifest
        if manifest is not self._manifest or self._rules is None:
            if manifest is None:
                raise Breach("?", "manifest", "the log does not begin with `open`")
            self._rules = self._book(manifest)
            self._manifest = manifest
        return self._rules

    def rules_of(self, manifest: Manifest) -> Rules:
        """The rules of any manifest. Raises PluginUnavailable, Breach or InputError."""
        return self._book(manifest)

    def window(self, rules: Rules) -> Fight:
        """The window on the present state for these rules' plugins."""
        fight = self._windows.get(rules)
        if fight is None:
            fight = self._windows[rules] = rules.window(self.state)
        return fight

    def running(self, action: str) -> list[Run]:
        """The runs of a root action, outermost first."""
        return self._chains.get(root(action), [])

    def actions_of(self, who: str) -> list[str]:
        """The ids of open actions of one actor, innermost first within each root."""
        return [
            run.id
            for chain in self._chains.values()
            for run in reversed(chain)
            if run.is_action and run.scope.actor == who and type(run.opening) is Declare
        ]

    def end_of_own(self, who: str) -> Done | None:
        """The end of the next open action of somebody who left; None where none is left."""
        own = self.actions_of(who)
        return cast("Done", veil(self.state, Done(action=own[0], code="left", cause="leave"))) if own else None

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing goes on by itself: people are asked, somebody holds the turn, or the fight has not begun or is over."""
        if self._active:
            return self._chains[self._active][-1].asked
        state = self.state
        return bool(state.prompts or state.over or state.turn or not state.began or not state.agenda)

    def number(self, action: str) -> int:
        """The number, in the whole log and among its own kind, of the root run of an open action."""
        run = self.state.open[root(action)]
        return run_number(self.openings, self.secret_openings, run.since, secret=run.secret)

    # -- the next event

    def propose(self) -> Any:
        """The next event, or None while people must act."""
        state = self.state
        if self._active:
            return self._propose_step(self._chains[self._active][-1])
        if state.prompts or state.over or not state.began:
            return None
        if (code := self.rules.is_over(self.window(self.rules))) is not None:
            return Close(code=code)
        if state.turn or not state.agenda:
            return None
        entry = least(state)
        if entry.moment == "resume":
            name = entry.key.removeprefix(RESUME)
        else:
            counted = f"{entry.moment}:{entry.key}"
            name = f"{counted}.{state.turns.get(counted, 0) + 1}"
        return veil(state, Turn(action=name, moment=entry.moment, who=entry.who, when=entry.when, entry=entry.key))

    def _propose_step(self, run: Run) -> Any:
        step = run.step
        if run.asked:
            return self._answer_of_the_gone(run, step)
        kind = type(step)
        if kind is Roll:
            return self._roll(run, step)
        return step if kind not in _ACTS else veil(self.state, self._act(run, step))

    def _act(self, run: Run, step: Act | EndTurn | Stop) -> Any:
        """What a step is recorded as that is no event itself."""
        if isinstance(step, Act):
            return Declare(
                action=f"{run.id}>{place(step)[4:]}",
                actor=step.actor,
                name=step.name,
                targets=step.targets,
                params=step.params,
                rows=step.rows,
                parent=run.id,
                secret=False,
            )
        if isinstance(step, EndTurn):
            name = f"{run.id}>{step.key}.{step.occurrence}"
            return Turn(action=name, moment="end", who=step.who, when=self.state.at, entry="")
        return Done(action=step.target, code=step.code, cause=run.id)

    def _answer_of_the_gone(self, run: Run, ask: Any) -> Choose | None:
        """The null answer of somebody who is asked and has left."""
        if type(ask) is Roll:
            prompt = self.state.prompts.get(f"{ask.action}|ask.{WITNESS}{ask.key}.{ask.occurrence}")
            if prompt is None:
                return None
            ask = prompt.ask
        for who in ask.who:
            if who not in run.answers and self.state.combatants[who].gone:
                answer = Choose(action=ask.action, key=ask.key, occurrence=ask.occurrence, who=who, value=None)
                return cast("Choose", veil(self.state, answer))
        return None

    def _roll(self, run: Run, step: Roll) -> Any:
        assert self.dice is not None, "an exchange that proposes needs dice"
        drawn = self._set_faces(step) or self.dice.draw(step, self.number(run.id), self.state)
        if drawn is None:
            ask = Ask(
                step.key,
                action=step.action,
                occurrence=step.occurrence,
                who=(step.by,),
                plan=step.plan,
                notation=step.notation,
                private=step.blind,
            )
            return veil(self.state, ask)
        if isinstance(drawn, Unwitnessed):
            return veil(self.state, ask_witness(step, drawn.by))
        return self.with_faces(step, drawn)

    def _set_faces(self, step: Roll) -> Drawn | None:
        """Faces that the game master set for a roll's slot. Raises DiceError for those that its dice do not have."""
        fields = self.state.coming.get(slot(step)) if self.state.coming else None
        if not fields or fields.get("faces") is None:
            return None
        faces = tuple([tuple(chain) for chain in fields["faces"]])
        check_faces(step.plan, faces)
        return Drawn(faces, "overruled")

    def with_faces(self, step: Roll, drawn: Drawn) -> Roll:
        """A roll with its outcome, or with the faces the game master set for its slot."""
        drawn = self._set_faces(step) or drawn
        reading = read(step.plan, drawn.faces)
        return replace(
            step,
            faces=drawn.faces,
            dropped=reading.dropped,
            total=reading.total,
            botch=reading.botch,
            fault=reading.fault,
            source=drawn.source,
            reused=drawn.reused,
        )

    def awaited(self, action: str) -> Roll | None:
        """The roll that an open action waits for, if it waits for dice to be reported."""
        chain = self.running(action)
        step = chain[-1].step if chain else None
        return step if type(step) is Roll else None

    # -- an event happens

    def feed(self, event: Any, version: int = 0, *, live: bool = False) -> None:
        """Take one event in: fold it, hand it to its run, and run generators on until somebody is needed.

        `live` says that the event was proposed by this exchange, so that it need not be compared again.
        """
        self.only_fold(event, version or self.head + 1)
        kind = type(event)
        if kind in _OUTSIDE:
            if kind is Leave:
                self._stop_asking(event.id)
            return
        name = event.action.partition(">")[0]  # the root, without a call: this runs for every event
        opens = kind is Declare or (kind is Turn and event.moment != "resume")
        if opens and opens_run(event):
            openings = self.secret_openings if kind is Declare and event.secret else self.openings
            if not openings or openings[-1] < self.head:
                openings.append(self.head)
        if kind is Done and event.cause:
            self._closed_from_outside(event, name, live)
        elif self._tracked is not None and name not in self._tracked:
            return
        elif opens:
            if not live and name in self._chains:
                self._compare_act(self._chains[name][-1], event)
            self._open(event, name)
        else:
            self._advance(event, name, live)

    def _stop_asking(self, who: str) -> None:
        """Dice that somebody who left was to report are thrown by the engine."""
        for chain in self._chains.values():
            run = chain[-1]
            if run.asked and type(run.step) is Roll and run.step.by == who and slot(run.step) in self.state.prompts:
                run.asked = False

    def _open(self, event: Declare | Turn, name: str) -> None:
        chain = self._chains.get(name)
        rules = chain[0].rules if chain else self.rules
        fight = self.window(rules)
        if chain is None:
            chain = self._chains[name] = []
        self._active = name
        if isinstance(event, Declare):
            run = self._declared(event, rules, fight)
        else:
            moment = Moment(event, rules, fight)
            run = Run(event.action, event, moment, rules, nothing(), "kernel", "upkeep")
            if event.moment == "begin":
                self._hang(run, f"{event.action}>", rules.begin(fight), "begin")
            else:
                if event.moment == "expiry":
                    self._hang(run, f"{event.action}>", [("kernel", expire(moment, fight))], "upkeep")
                self._hang(run, f"{event.action}>", rules.upkeep(fight, moment), "upkeep")
        self._push(chain, run)
        self._pump()

    def _declared(self, event: Declare, rules: Rules, fight: Fight) -> Run:
        try:
            action = self.action(event, rules, fight)
        except InputError as error:
            if not event.parent:
                raise
            raise self.running(event.action)[-1].breach(f"a nested {event.name!r}: {error}") from error
        refused = rules.check(fight, action) if event.parent else None
        if refused is not None:  # the parent hears of it by the `done`
            run = Run(event.action, event, action, rules, None, rules.system.id, "check")
            run.step = self._done(run, f"refused-{refused.code}")
            return run
        plugin, gen = rules.resolve(fight, action)
        return Run(event.action, event, action, rules, gen, plugin, "resolve")

    def action(self, event: Declare, rules: Rules, fight: Fight) -> Action:
        """A declared action as hooks see it. Raises InputError for parameters that are not the system's."""
        return Action(event, rules.read_params(event.name, event.params), rules, fight)

    def _closed_from_outside(self, event: Done, name: str, live: bool) -> None:
        """An action was closed by another one, by the game master, or because its actor left."""
        chain = self._chains.get(name)
        if chain is not None:
            index = next((i for i, run in enumerate(chain) if run.id == event.action), None)
            if index == 0:
                self._drop(name)
            elif index is not None:
                for run in reversed(chain[index:]):
                    close(run)
                del chain[index:]
                self._answer(chain[-1], event)
        cause = self._chains.get(root(event.cause))
        if cause and cause[-1].id == event.cause:
            if not live:
                self._compare_act(cause[-1], event)
            self._answer(cause[-1], event)
        self._pump()

    def _advance(self, event: Any, name: str, live: bool) -> None:
        chain = self._chains.get(name)
        if chain is None:
            raise RulesDrifted(self.head, "no open action", f"{slot(event)}" if hasattr(event, "key") else repr(event))
        run = chain[-1]
        kind = type(event)
        if kind is Done:
            self._finish(chain, name, event, live)
        elif kind is Choose:
            self._choose(run, event)
        elif kind is Turn:  # a waiting action goes on
            self._active = name
            run.value, run.step, run.asked = event, None, False
        else:
            if not live:
                compare(run.step, event, self.head)
            if kind is Ask:
                run.asked = True
                return
            if kind is Wait:
                self._active = ""
                return
            run.value, run.step, run.asked = event, None, False
            if run.rules.follows:
                found = run.rules.follow(run.fight, run.scope, event)
                self._hang(run, f"{run.id}>{place(event)}>", found, "follow")
            if kind is Roll and event.fault:
                self._fail(chain, event)
        self._pump()

    def _finish(self, chain: list[Run], name: str, event: Done, live: bool) -> None:
        if not live:
            compare(chain[-1].step, event, self.head)
        chain.pop()
        if chain:
            self._answer(chain[-1], event)
        else:
            self._drop(name)

    def _choose(self, run: Run, event: Any) -> None:
        step = run.step
        if type(step) is Roll and event.key == WITNESS + step.key:
            run.asked = False  # the dice may be thrown now
            return
        if type(step) is not Ask or event.key != step.key:
            raise RulesDrifted(self.head, repr(step), slot(event))
        run.answers[event.who] = event.value
        if len(run.answers) == len(step.who):  # in the order asked, not of arrival
            answers = run.answers
            value = answers[step.who[0]] if len(step.who) == 1 else {who: answers[who] for who in step.who}
            run.answers = {}
            self._answer(run, value)

    def _compare_act(self, run: Run, event: Any) -> None:
        """Compare what opens or closes another run with the step of the one that made it."""
        expected = self._act(run, run.step) if type(run.step) in _ACTS else run.step
        compare(expected, replace(event, veil=msgspec.UNSET), self.head)


__all__ = ["Dice", "Drawn", "Exchange", "RefusedInside", "RuleBook"]
