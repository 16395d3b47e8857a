"""Play an encounter file through a session: everybody joins, the script runs, and `auto` goes on by itself.

Whoever is asked and has no line in the script answers as `auto` says, so that a fight can go on until it is over. What
the rules refuse of a script stops it with the line's path; what they refuse of `auto` makes it try something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from affray.kernel import GM, AffrayError, Form, InputError, Json, Refused, RuleSet, check_json, commands

from .encounter_file import (
    EVERYBODY,
    Auto,
    Combatant,
    Declare,
    Encounter,
    EndTurn,
    Entry,
    Move,
    Note,
    Reply,
    Report,
    in_file,
    parse_encounter,
    read_encounter,
)
from .engine import Engine
from .session import Session
from .verbs import Answer

NO_DICE = frozenset({"script-exhausted", "bad-dice", "dice-wait-for-nonce", "dice-epochs-used-up"})
"""Refusals after which nothing else is tried: there are no dice to go on with."""


class ScriptRefused(AffrayError):
    """A line of a script was refused, or does not fit what the fight waits for. The session stays as it is."""

    def __init__(self, session: str, path: str, problem: str, refused: Refused | None = None) -> None:
        super().__init__(f"{path}: {problem}")
        self.session, self.path, self.problem, self.refused = session, path, problem, refused


def run_encounter(
    engine: Engine,
    encounter: Encounter,
    *,
    session: str = "",
    where: str = "encounter",
    started: Callable[[Session], None] | None = None,
) -> Session:
    """Play an encounter: everybody joins, the script runs, then `auto` goes on until it is over or its bound is reached.

    `session` is an id of your choice; `started` is called once the session is stored and before anybody joins. Raises
    InputError with the path in the file, PluginUnavailable and SessionExists while nothing is stored yet; ScriptRefused,
    Breach or StoreError on the way, and then the session is stored as far as it came.
    """
    try:
        if encounter.options_files:
            raise InputError("can be read beside a file only", path="$.options_files", value=encounter.options_files)
        rules = engine.catalog.rules(engine.catalog.manifest(encounter.system, encounter.options, encounter.house, encounter.bundle))
        check_rules(encounter, rules)
    except InputError as error:
        raise in_file(error, where) from None
    made = engine.start(
        encounter.system,
        title=encounter.title,
        options=encounter.options,
        bundle=encounter.bundle,
        house=encounter.house,
        dice=encounter.dice,
        undo_dice=encounter.undo_dice,
        script=encounter.faces,
        session=session,
    )
    if started is not None:
        started(made)
    try:
        _Player(made, encounter).play()
    except InputError as error:
        raise in_file(error, where) from None
    return made


def check_rules(encounter: Encounter, rules: RuleSet) -> None:
    """Check against the rules, before anything is stored, whatever they can say of sheets, pools and parameters."""
    for index, one in enumerate(encounter.combatants):
        path = f"$.combatants[{index}]"
        with_path(f"{path}.sheet", check_json, one.sheet)
        sheet = with_path(f"{path}.sheet", rules.read_sheet, one.sheet)
        pools = with_path(f"{path}.sheet", rules.pools, sheet)
        for pool in one.pools:
            if pool not in pools:
                raise InputError(f"no such pool; there are {', '.join(pools)}", path=f"{path}.pools.{pool}")
    for path, action, params in _declarations(encounter):
        if action not in rules.system.actions:
            known = ", ".join(rules.system.actions)
            raise InputError(f"{encounter.system} has no such action; there are {known}", path=f"{path}.action", value=action)
        with_path(path, rules.read_params, action, params)


def with_path(path: str, call: Callable[..., Any], *args: Any) -> Any:
    """Call something whose errors begin at `$`, and let them begin at a path of the file."""
    try:
        return call(*args)
    except InputError as error:
        raise InputError(error.problem, path=path + error.path.removeprefix("$"), value=error.value) from None


def _declarations(encounter: Encounter) -> Iterator[tuple[str, str, Mapping[str, Json]]]:
    for index, entry in enumerate(encounter.script):
        if isinstance(entry, Declare):
            yield f"$.script[{index}]", entry.action, entry.params
    if isinstance(encounter.auto, dict):
        for who, auto in encounter.auto.items():
            for index, move in enumerate(auto.moves):
                yield f"$.auto.{who}.moves[{index}]", move.action, move.params


class _Player:
    """Plays one encounter in one session."""

    def __init__(self, session: Session, encounter: Encounter) -> None:
        self.session = session
        self.encounter = encounter
        self.left = encounter.commands

    def play(self) -> None:
        """Play it as far as it goes by itself."""
        for index, one in enumerate(self.encounter.combatants):
            with_path(f"$.combatants[{index}]", self._join, one)
        self._must(self.session.begin(), "the beginning")
        for index, entry in enumerate(self.encounter.script):
            self._entry(f"$.script[{index}]", entry)
        while self.left > 0 and self.encounter.auto is not None and self._go_on():
            self.left -= 1

    def _join(self, one: Combatant) -> None:
        command = commands.Join(
            id=one.id,
            name=one.name or one.id,
            side=one.side,
            controller=one.controller,
            sheet=one.sheet,
            pools=one.pools,
            conditions=one.conditions,
            secret=one.secret,
            player=one.player,
        )
        self._must(self.session.request(command), f"joining of {one.id}")

    # -- the script

    def _entry(self, path: str, entry: Entry) -> None:
        session = self.session
        match entry:
            case Note():
                self._must(session.note(entry.text, secret=entry.secret), path)
            case Reply():
                slot = self._prompt(path, entry.who, entry.key)
                self._must(session.answer(slot, entry.who, entry.value), path)
            case Report():
                slot = self._prompt(path, entry.who, entry.key)
                chains = [[face] if isinstance(face, int) else list(face) for face in entry.faces]
                self._must(session.report(slot, entry.who, chains), path)
            case EndTurn():
                self._answer_all()
                self._must(session.end_turn(entry.actor), path)
            case Declare():
                self._answer_all()
                command = commands.Declare(
                    actor=entry.actor,
                    name=entry.action,
                    targets=entry.targets,
                    params=entry.params,
                    secret=entry.secret,
                )
                self._must(session.request(command), path)

    def _prompt(self, path: str, who: str, key: str) -> str:
        """The slot of the one open prompt that waits for somebody. Prompts that wait for others are answered first."""
        while True:
            found = self.session.prompts(who, reader=GM)
            names = [name for name, prompt in found.items() if key in ("", prompt.ask.key)]
            if len(names) == 1:
                return names[0]
            if not names and self._answer_one(but=who):
                continue
            waiting = "nothing is asked" if not found else f"asked is {', '.join(p.ask.key for p in found.values())}"
            raise ScriptRefused(self.session.id, path, f"no one prompt waits for {who!r} here; {waiting}")

    def _must(self, answer: Answer, path: str) -> None:
        if answer.refused is not None:
            args = ", ".join(map(str, answer.refused.args))
            problem = f"refused, {answer.refused.code}{f' ({args})' if args else ''}"
            raise ScriptRefused(self.session.id, path, problem, answer.refused)

    # -- by itself

    def _go_on(self) -> bool:
        """Do one thing: answer a prompt, or declare for whoever may act. False when there is nothing to do."""
        state = self.session.state(reader=GM)
        if state.over:
            return False
        if state.prompts:
            return self._answer_one()
        turn = [state.turn] if state.turn else []
        others = [who for who, one in state.combatants.items() if not one.gone and who != state.turn]
        return any(self._act(who) for who in (turn or others))

    def _answer_all(self) -> None:
        while self.left > 0 and self._answer_one():
            self.left -= 1

    def _answer_one(self, but: str = "") -> bool:
        """Answer one open prompt as its person's `auto` says. False when there is none, or nobody to answer it."""
        if self.encounter.auto is None:
            return False
        for name, prompt in self.session.prompts(reader=GM).items():
            for who in prompt.ask.who:
                options = [option.code for option in prompt.ask.options or ()]
                if who in prompt.answers or who == but or not options or prompt.ask.plan is not None:
                    continue
                auto = self._auto(who)
                wanted = auto.answers.get(prompt.ask.key, "")
                value = wanted if wanted in options else options[0 if auto.otherwise == "first" else -1]
                return bool(self.session.answer(name, who, value))
        return False

    def _act(self, who: str) -> bool:
        forms = self.session.actions(who)
        for move in (*self._auto(who).moves, *[_first(form) for form in forms]):
            form = next((form for form in forms if form.name == move.action), None)
            if form is None:
                continue
            targets = move.targets or form.targets[: max(form.least, min(1, form.most))]
            command = commands.Declare(actor=who, name=move.action, targets=targets, params=move.params)
            answer = self.session.request(command)
            if answer:
                return True
            assert answer.refused is not None
            if answer.refused.code in NO_DICE:  # whatever else is tried needs dice too, or is not what was meant
                raise ScriptRefused(self.session.id, "$.auto", f"refused, {answer.refused.code}", answer.refused)
        return False

    def _auto(self, who: str) -> Auto:
        auto = self.encounter.auto
        if isinstance(auto, str):
            return Auto(otherwise=auto)
        controller = next(one.controller for one in self.encounter.combatants if one.id == who)
        return (auto or {}).get(controller) or (auto or {}).get(EVERYBODY) or Auto()


def _first(form: Form) -> Move:
    """The first thing a form offers."""
    return Move(action=form.name, params={name: values[0] for name, values in form.choices.items() if values})


__all__ = ["Encounter", "ScriptRefused", "parse_encounter", "read_encounter", "run_encounter"]
