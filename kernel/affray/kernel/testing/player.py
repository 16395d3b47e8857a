"""Fights that nobody wrote: people are seated, declare what the forms offer, answer, report dice, come late and leave.

Everything is chosen by a seed, so that a fight is the same wherever it is played; what is chosen depends on what the
rules offer and on nothing else. What goes wrong is told to the tally, and the fight goes on as far as it can.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product

import msgspec
from msgspec import inspect as types

from .. import commands as c
from ..describe import Form
from ..errors import AffrayError, Breach, InputError, Refused
from ..events import Declare
from ..limits import EVENTS_PER_COMMIT, NESTING, STEPS_PER_ACTION
from ..state import Prompt
from ..values import GM, Json, Modifier
from .bounds import BREACHES, COMBINATIONS, COMMANDS, FIGHTS, HOPELESS, PEOPLE, REFUSALS
from .dice import SeededDice
from .findings import Tally
from .sheets import WORDS, Seeded, value_of
from .table import Book, Table
from .world import WorldTouched

NAMES = ("ann", "bob", "cy", "dee")
LATE = "late"
SIDES = ("red", "blue")

ENDLESS = (
    f"more than {STEPS_PER_ACTION} steps",
    f"more than {EVENTS_PER_COMMIT - 1} events",
    f"more than {NESTING} runs",
)
"""What a Breach says of something that does not end."""


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """What is played: options, sheets that are valid, parameters that an author gave by the action, how much of it."""

    sheets: tuple[dict[str, Json], ...]
    options: dict[str, Json] = {}
    bundle: str = ""
    actions: dict[str, tuple[dict[str, Json], ...]] = {}
    fights: int = FIGHTS
    commands: int = COMMANDS
    seed: str = "kit"


class Tried:
    """How a form of one action fared: `why` holds the reasons of its refusals, `unread` those that it could not be read.

    `invented` are parameters that it needs and does not offer, so that what they were given proves nothing.
    """

    def __init__(self) -> None:
        self.times = self.accepted = self.searched = 0
        self.possible = False
        self.why: dict[str, int] = {}
        self.unread: dict[str, int] = {}
        self.invented: dict[str, int] = {}


class Move(msgspec.Struct, frozen=True):
    """A command that was sent, and what came of it: ok, refused-..., unread or breach."""

    command: c.Command
    id: str
    outcome: str


class Fought:
    """A fight that was played: its table and every command that was sent. `is_broken` says that it could not go on."""

    def __init__(self, table: Table, number: int) -> None:
        self.table = table
        self.number = number
        self.moves: list[Move] = []
        self.is_broken = False

    def where(self, version: int, what: str = "") -> str:
        """A place in this fight, for a finding."""
        return f"fight {self.number + 1}, version {version}{f', {what}' if what else ''}"


def table_of(book: Book, setup: Setup, number: int) -> Table:
    """The table of a fight: each third one has dice that are reported, and each fight dice of its own."""
    reported = (NAMES[0],) if number % 3 == 2 else ()
    manifest = book.manifest(setup.options, setup.bundle)
    return Table(book, manifest, dice=SeededDice(f"{setup.seed}/{number}"), reported=reported, session=f"kit-{number + 1}")


class Player:
    """Plays one fight. `tried` is shared by all fights of a check."""

    def __init__(self, book: Book, setup: Setup, number: int, tally: Tally, tried: dict[str, Tried]) -> None:
        self._setup = setup
        self._number = number
        self._chooser = Seeded(f"{setup.seed}/fight/{number}")
        self._tally = tally
        self._tried = tried
        self._breaches = self._refusals = 0
        self._has_left = number % 2 == 0
        self._vain: dict[str, int] = {}
        self.table = table_of(book, setup, number)
        self.fought = Fought(self.table, number)

    def play(self) -> Fought:
        """Play to the end, or so many commands."""
        self._seat()
        for turn in range(self._setup.commands):
            if self.fought.is_broken or self.table.state.over or not self._go_on():
                break
            if turn == self._setup.commands // 3 and self._number % 2:
                self._join(LATE, len(NAMES))
        if not self.fought.is_broken and not self.table.state.over:
            self._send(c.Close(code="enough"))
        return self.fought

    # -- sending

    def _send(self, command: c.Command) -> Refused | str | None:
        """Send a command. None: accepted; a text: it could not be read, or it breached."""
        fought, table = self.fought, self.table
        name = f"k{len(fought.moves) + 1}"
        answer: Refused | str | None
        try:
            answer = table.do(command, id=name)
            outcome = "ok" if answer is None else f"refused-{answer.code}"
        except InputError as error:
            answer, outcome = str(error), "unread"
        except Breach as breach:
            self._breached(breach)
            answer, outcome = str(breach), "breach"
        except Exception as error:  # what a plugin did to the state may come out anywhere
            self._tally.add("breach", table.book.system, "resolve", f"breaks the fight: {error!r}", fought.where(table.head))
            answer, outcome, fought.is_broken = repr(error), "breach", True
        fought.moves.append(Move(command, name, outcome))
        return answer

    def _breached(self, breach: Breach) -> None:
        self._breaches += 1
        if not _is_told(breach):
            code = "endless" if any(text in breach.problem for text in ENDLESS) else "breach"
            self._tally.add(code, breach.plugin, breach.hook, _without_ids(breach.problem), self.fought.where(self.table.head))
        is_endless = self._tally.has("endless")  # it would only take as long again
        self.fought.is_broken = is_endless or self._breaches >= BREACHES or not self.table.state.began

    # -- people

    def _seat(self) -> None:
        for index in range(2 + self._number % (PEOPLE - 1)):
            self._join(NAMES[index], index)
        answer = self._send(c.Begin())
        if answer is not None or not self.table.state.began:
            self.fought.is_broken = True
            if isinstance(answer, Refused):
                self._tally.add("unplayed", self.table.book.system, "begin", f"the fight cannot begin: {answer.code}")

    def _join(self, who: str, index: int) -> None:
        sheets = self._setup.sheets
        sheet = sheets[(index + self._number) % len(sheets)]
        is_hidden = self._number % 3 == 1 and index == 1
        self._send(
            c.Join(id=who, name=who.title(), side=SIDES[index % 2], controller=GM if is_hidden else who, sheet=sheet)
        )

    # -- what is done next

    def _go_on(self) -> bool:
        """Do one thing. False where nobody can do anything."""
        state = self.table.state
        if state.prompts:
            slot, prompt = next(iter(state.prompts.items()))
            return self._answer(slot, prompt)
        people = [who for who, one in state.combatants.items() if not one.gone]
        others = [who for who in people if who != state.turn]
        if state.turn and not self._chooser.is_one_in(6):
            order = [state.turn, *others]
        else:
            order = [*others, *([state.turn] if state.turn else [])]
        return any(self._act(who) for who in order) or self._is_stuck()

    def _is_stuck(self) -> bool:
        if self.fought.is_broken:
            return False
        holder = self.table.state.turn
        whose = f"{holder} holds the turn" if holder else "nobody holds the turn"
        self._tally.add(
            "unplayed", self.table.book.system, "actions",
            f"{whose}, nobody can declare anything, and the fight is not over", self.fought.where(self.table.head),
        )  # fmt: skip
        return False

    def _answer(self, slot: str, prompt: Prompt) -> bool:
        who = [one for one in prompt.ask.who if one not in prompt.answers]
        person = self._chooser.one_of(who)
        if not self._has_left and self._chooser.is_one_in(8):
            self._has_left = True
            return self._send(c.Leave(id=person)) is None
        if prompt.ask.plan is not None:
            return self._send(c.Report(slot=slot, who=person, faces=self.table.thrown(slot))) is None or not self.fought.is_broken
        option = self._chooser.one_of(prompt.ask.options or ())
        return self._send(c.Answer(slot=slot, who=person, value=option.code)) is None or not self.fought.is_broken

    def _act(self, who: str) -> bool:
        """Let somebody declare something. False where nothing is offered, or all is refused."""
        table = self.table
        try:
            forms = table.rules.actions(table.exchange.window(table.rules), who)
        except Breach as breach:
            self._breached(breach)
            return False
        forms = tuple([form for form in forms if len(form.targets) >= form.least])
        if not forms:
            return False
        for _ in range(REFUSALS):
            form = self._choose_form(forms)
            if self._declare(who, form):
                return True
            if self.fought.is_broken:
                return False
        return False

    def _choose_form(self, forms: tuple[Form, ...]) -> Form:
        hopeful = [form for form in forms if self._vain.get(form.name, 0) < HOPELESS]
        forms = tuple(hopeful) or forms
        if self._chooser.is_one_in(2):
            return min(forms, key=lambda form: self._tried.get(form.name, Tried()).accepted)
        return self._chooser.one_of(forms)

    def _declare(self, who: str, form: Form) -> bool:
        tried = self._tried.setdefault(form.name, Tried())
        tried.times += 1
        _count(self._vain, form.name)
        try:
            params = self._params(form)
        except InputError as error:
            _count(tried.unread, str(error))
            return False
        places = sorted(self.table.rules.places)
        rows: tuple[Modifier, ...] = ()
        if places and self._chooser.is_one_in(6):
            rows = (Modifier(self._chooser.one_of(places), self._chooser.one_of((-1, 1, 2)), "kit"),)
        command = c.Declare(actor=who, name=form.name, targets=self._targets(form), params=params, rows=rows)
        answer = self._send(command)
        if answer is None:
            tried.accepted += 1
            self._vain[form.name] = 0
            return True
        if isinstance(answer, Refused):
            _count(tried.why, answer.code)
        elif self.fought.moves[-1].outcome == "unread":
            _count(tried.unread, answer)
        if not (tried.accepted or tried.possible) and tried.searched < 3:
            tried.searched += 1
            tried.possible = self._is_possible(who, form)
        return False

    def _targets(self, form: Form) -> tuple[str, ...]:
        left = list(form.targets)
        most = min(form.most, len(left))
        count = min(form.least + self._chooser.below(max(most - form.least, 0) + 1), most)
        return tuple([left.pop(self._chooser.below(len(left))) for _ in range(count)])

    def _params(self, form: Form, choices: Mapping[str, Json] | None = None) -> dict[str, Json]:
        """Parameters of a form: what its choices offer, what the author gave, and the rest made of its type."""
        given = self._setup.actions.get(form.name, ())
        found: dict[str, Json] = dict(self._chooser.one_of(given)) if given and not self._chooser.is_one_in(4) else {}
        for name, values in form.choices.items():
            if choices is not None:
                found[name] = choices[name]
            elif values and not (name in found and self._chooser.is_one_in(2)):
                found[name] = self._chooser.one_of(values)
        kind = types.type_info(self.table.rules.system.actions[form.name])
        for field in kind.fields if isinstance(kind, types.StructType) else ():
            if field.encode_name not in found and (field.required or (choices is None and self._chooser.is_one_in(3))):
                found[field.encode_name] = self._made(field, form)
                if field.required:
                    _count(self._tried.setdefault(form.name, Tried()).invented, field.encode_name)
        return found

    def _made(self, field: types.Field, form: Form) -> Json:
        offered = [value for values in form.choices.values() for value in values if isinstance(value, str)]
        return value_of(field.type, self._chooser, words=[*self.table.state.combatants, *offered, *WORDS])

    def _is_possible(self, who: str, form: Form) -> bool:
        """Whether `check` takes any way to fill in a form."""
        table = self.table
        fight = table.exchange.window(table.rules)
        for choices, targets in islice(_ways(form), COMBINATIONS):
            try:
                params = self._params(form, choices)
                event = Declare(
                    action="probe", actor=who, name=form.name, targets=targets, params=params, rows=(), parent="", secret=False
                )
                if table.rules.check(fight, table.exchange.action(event, table.rules, fight)) is None:
                    return True
            except AffrayError:
                if self._tally.has("endless"):
                    self.fought.is_broken = True
                    return False
        return False


def _ways(form: Form) -> Iterator[tuple[dict[str, Json], tuple[str, ...]]]:
    """Ways to fill in a form: every combination of its choices, for each number of targets the first ones and each alone."""
    targets = [form.targets[:count] for count in range(form.least, min(form.most, len(form.targets)) + 1)]
    if form.least <= 1 <= form.most:
        targets += [(who,) for who in form.targets]
    names = list(form.choices)
    for values in product(*[form.choices[name] for name in names]):
        for named in dict.fromkeys(targets):
            yield dict(zip(names, values, strict=True)), named


def _is_told(breach: Breach) -> bool:
    """Whether what made a breach was told already: it touched the world, or took too long."""
    cause: BaseException | None = breach
    while cause is not None:
        if isinstance(cause, WorldTouched) or (isinstance(cause, RuntimeError) and str(cause) == "broken off"):
            return True
        cause = cause.__cause__
    return False


def _without_ids(problem: str) -> str:
    """A breach without the id of its run, so that the same fault is told once."""
    run, colon, rest = problem.partition(": ")
    is_run = bool(colon) and " " not in run and (run[:1] == "k" or ":" in run or run.startswith("begin"))
    return rest if is_run else problem


def _count(counts: dict[str, int], what: str) -> None:
    counts[what] = counts.get(what, 0) + 1


def replay(fought: Fought, table: Table, *, cold: bool = False) -> Iterator[tuple[Move, str]]:
    """Send the commands of a fight to another table, and tell what came of each.

    Cold: what was refused is left out, and wherever something is open another process goes on.
    """
    for move in fought.moves:
        if cold and move.outcome != "ok":
            continue
        if cold and table.state.open:
            table.restart()
        try:
            answer = table.do(move.command, id=move.id)
            outcome = "ok" if answer is None else f"refused-{answer.code}"
        except InputError:
            outcome = "unread"
        except Breach:
            outcome = "breach"
        yield move, outcome


__all__ = ["LATE", "NAMES", "Fought", "Move", "Player", "Setup", "Tried", "replay", "table_of"]
