"""A fight as a text to read: turns, in them actions, in them what follows, one line for what belongs together.

    Phase 1 — Ada's turn
      Ada swings the short sword at Bram: a wild cleave.
        Ada attacks: d10 shows 3 against 7 — 4 under.
        Bram takes 12 cleaving damage to the left arm: 12 = 3 + 4 + 2 (3d6) + 3 (STR 7).

Pure: it folds the events it is given, in the order of one line of the log, and knows no plugin, file or terminal. A
roll is told with the verdict or the damage that reads it; what only keeps the books (the clock's next entries, questions
that were answered, actions that simply ended) is left out here and stands in `log`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from affray.kernel import (
    ApplyDamage,
    Ask,
    Close,
    Declare,
    Done,
    Judge,
    Open,
    Order,
    Rewind,
    Roll,
    Save,
    State,
    Turn,
    fold,
    opens_run,
    root,
    slot,
)

from .scene import Scene, finish
from .sentences import draft
from .sums import is_added, plan_text
from .texts import Said, Texts, printable

Style = Literal["title", "heading", "action", "step", "aside", "end"]

TOLD_OUTCOMES = ("cancelled", "failed", "left")
"""Outcomes of actions that are told even when no plugin words them."""

class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line: the version of its (last) event, how deep it stands, what it says, and what it is."""

    version: int
    depth: int
    text: str
    style: Style


class Sentence(msgspec.Struct, frozen=True, kw_only=True):
    """One event in words, for lists: nothing left out, nothing put together. `state` is the fight after it."""

    version: int
    event: Any
    text: str
    state: State


class _Held(msgspec.Struct, frozen=True):
    """A line that waits for what builds on it."""

    line: Line
    roll: Roll


class Story:
    """Follows a log, or one line of it: gives every event its scene, and knows which roll it builds on.

    A rewind leads back to where it says, as far as the story came that way.
    """

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.state = State()
        self.runs: dict[str, Declare | Turn] = {}
        self._rolls: dict[str, Roll] = {}
        self._places: dict[int, tuple[State, dict[str, Roll]]] = {0: (State(), {})}

    def scene(self, version: int, event: Any) -> Scene:
        """The scene of the next event, which is folded by this."""
        before = self.state
        if type(event) is Rewind:
            self.state, rolls = self._places.get(event.to, (before, {}))
            self._rolls = dict(rolls)
        else:
            self.state = fold(before, event, version)
        scene = self._scene(version, event, before)
        self._places[version] = (self.state, dict(self._rolls))
        return scene

    def _scene(self, version: int, event: Any, before: State) -> Scene:
        if opens_run(event):
            self._rolls.clear()
        if isinstance(event, Declare) or (isinstance(event, Turn) and event.moment != "resume"):
            self.runs[event.action] = event
        scene = Scene(
            version=version,
            before=before,
            after=self.state,
            texts=self.texts,
            roll=self._built_on(event),
            runs=self.runs,
        )
        if type(event) is Roll:
            self._rolls[slot(event)] = event
        return scene

    def _built_on(self, event: Any) -> Roll | None:
        if isinstance(event, ApplyDamage) or (isinstance(event, Save) and event.roll):
            return self._rolls.get(event.roll)
        if not isinstance(event, Judge | Save):
            return None
        who = event.by if isinstance(event, Judge) else event.who
        own = [name for name, roll in self._rolls.items() if roll.by == who and roll.action == event.action]
        if not own:
            return None
        same = [name for name in own if self._rolls[name].key == event.key]
        found = self._rolls[(same or own)[-1]]
        for name in own:  # a verdict reads a roll once
            del self._rolls[name]
        return found


def sentences(pairs: Iterable[tuple[int, Any]], texts: Texts) -> Iterator[Sentence]:
    """Every event in words, with the state after it: of one line, or of a whole log with all that was undone."""
    story = Story(texts)
    for version, event in pairs:
        scene = story.scene(version, event)
        said = finish(texts, draft(scene, event), getattr(event, "by_rules", ()))
        yield Sentence(version=version, event=event, text=printable(said.text), state=story.state)


def transcript(pairs: Iterable[tuple[int, Any]], texts: Texts) -> Iterator[Line]:
    """One line of a log as lines to read."""
    teller = Teller(texts)
    for version, event in pairs:
        yield from teller.tell(version, event)
    yield from teller.rest()


class Teller:
    """Tells events as they come. `rest` gives what was held back, and the questions that are still open."""

    def __init__(self, texts: Texts) -> None:
        self._story = Story(texts)
        self._texts = texts
        self._held: list[_Held] = []
        self._depths: dict[str, int] = {}

    @property
    def state(self) -> State:
        """The fight after what was told."""
        return self._story.state

    def tell(self, version: int, event: Any) -> Iterator[Line]:
        """The lines that are complete with this event."""
        depth = self._depth(event)
        scene = self._story.scene(version, event)
        made = draft(scene, event)
        if self._is_quiet(scene, event, made.keys):
            return
        said = finish(self._texts, made, getattr(event, "by_rules", ()))
        style = _style(event, depth)
        text = said.text.removesuffix(".") if style == "heading" else said.text
        line = Line(version=version, depth=depth, text=printable(text), style=style)
        if type(event) is Roll:
            self._held.append(_Held(line, event))
            return
        yield from self._with_roll(scene.roll, said, line)

    def rest(self) -> Iterator[Line]:
        """What was held back, and what is being waited for."""
        yield from self._release()
        state = self._story.state
        for prompt in state.prompts.values():
            scene = Scene(version=0, before=state, after=state, texts=self._texts, runs=self._story.runs)
            waiting = [who for who in prompt.ask.who if who not in prompt.answers]
            ask = msgspec.structs.replace(prompt.ask, who=tuple(waiting))
            said = finish(self._texts, draft(scene, ask))
            yield Line(version=0, depth=self._depth(ask), text=printable(said.text), style="step")

    def _with_roll(self, roll: Roll | None, said: Said, line: Line) -> Iterator[Line]:
        """A line with the roll it builds on: told in it, put before it, or on a line of its own where others lie between."""
        place = next((index for index, held in enumerate(self._held) if held.roll is roll), None)
        if place is None:
            yield from self._release()
        elif "dice" in said.used or self._tells(line, self._held[place].roll):
            del self._held[place]
            yield from self._release()
        elif place == len(self._held) - 1:
            before = self._held.pop().line.text
            yield from self._release()
            line = msgspec.structs.replace(line, text=f"{before} {line.text}")
        else:
            yield from self._release()
        yield line

    @staticmethod
    def _tells(line: Line, roll: Roll) -> bool:
        """Whether a line has the faces of a roll in its sum."""
        return is_added(roll) and f"({plan_text(roll.plan)})" in line.text

    def _release(self) -> Iterator[Line]:
        """The rolls that nothing was built on, in their order."""
        held, self._held = self._held, []
        yield from [one.line for one in held]

    def _depth(self, event: Any) -> int:
        """0 for what happens around the actions, 1 for an action or a moment's own steps, deeper below an action."""
        action = getattr(event, "action", "")
        if type(event) is Declare:
            depth = self._below(event.parent) if event.parent else 1
            self._depths[action] = depth
            return depth
        if not action:
            return 1 if self.state.began and not self.state.over and type(event) is not Close else 0
        return 0 if type(event) is Turn and ">" not in action else self._below(action)

    def _below(self, action: str) -> int:
        """The depth of steps of a run: one more than that of the innermost declared action it belongs to."""
        while action:
            if action in self._depths:
                return self._depths[action] + 1
            action = action.rpartition(">")[0]
        return 1

    def _is_quiet(self, scene: Scene, event: Any, keys: tuple[str, ...]) -> bool:
        if self._texts.is_silent(*keys):
            return True
        if isinstance(event, Done):
            return not (event.cause or event.code in TOLD_OUTCOMES or event.code.startswith("refused-") or self._texts.has(*keys))
        if isinstance(event, Order):
            run = scene.before.open.get(root(event.action))
            return run is None or run.what != "begin"
        return isinstance(event, Ask)


def _style(event: Any, depth: int) -> Style:
    match event:
        case Open():
            return "title"
        case Close():
            return "end"
        case Turn() if ">" not in event.action:
            return "heading"
        case Declare():
            return "action"
        case _:
            return "step" if depth else "aside"
