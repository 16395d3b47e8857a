"""A fight at one keyboard: whoever has to answer, to roll or to act is asked, until the fight is over.

What is asked follows from the stored session alone, so that a game goes on after a restart at the very prompt. Every
command is stored before the next question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NoReturn

from affray.kernel import WITNESS, AffrayError, DicePlan, Form, Option, Prompt, commands

from ...views.sums import plan_text
from ...views.texts import listed, words
from ..failures import explain
from .choices import Choice, Unclear, leading, near, pick, plain, unknown
from .drafts import Blank, Draft, draft_of, in_one_line, split, summary
from .faces import check_face, explained, one_face, read_faces, term_of, wanted
from .room import Asked, Moved, Room
from .why_not import not_offered, would_refuse
from .words import WORDS, Back, ask

RANDOM = "anything random, a few letters or the faces of a die or two: it goes into the dice"


class Game:
    """Asks one thing after the other. Raises Left and KeyboardInterrupt from whatever is asked."""

    def __init__(self, room: Room) -> None:
        self.room = room

    def play(self) -> None:
        """Ask until the fight is over."""
        while not self.room.state.over:
            self.room.telling.rest()
            self.room.page.line()
            try:
                self._ask()
            except Moved:
                continue

    def _ask(self) -> None:
        state, chosen = self.room.state, self.room.as_who
        self.room.as_who = ""
        if state.prompts:
            slot, who = self._waiting(chosen)
            self._answer(slot, state.prompts[slot], who)
        elif not state.began:
            self._begin()
        else:
            self._act(chosen or state.turn or self._anybody())

    def _waiting(self, chosen: str) -> tuple[str, str]:
        """The prompt to be answered next, and by whom: by the one chosen, or by whoever was asked first."""
        waiting = [
            (slot, who) for slot, prompt in self.room.state.prompts.items() for who in prompt.ask.who if who not in prompt.answers
        ]
        if chosen and not any(who == chosen for _, who in waiting):
            self.room.say(f"{self.room.name(chosen)} has nothing to answer; first these have to.")
        return next((one for one in waiting if one[1] == chosen), waiting[0])

    def _anybody(self) -> str:
        """Somebody who may do something though nobody holds the turn; "" where nobody may."""
        here = [one.id for one in self.room.state.combatants.values() if not one.gone]
        return next((who for who in here if self.room.session.actions(who)), "")

    def _begin(self) -> None:
        asked = Asked(who="", title="The fight has not begun.", choices=(Choice("begin", "begin"),))

        def take(line: str) -> None:
            pick(line, asked.choices, WORDS)
            self._send(commands.Begin(), "")

        self._until_done(asked, take)

    def _until_done(self, asked: Asked, take: Callable[[str], None]) -> NoReturn:
        """Ask until what is typed was done, which `take` says by raising Moved."""
        self.room.show(asked)
        while True:
            try:
                take(ask(self.room, asked))
            except Unclear as unclear:
                self.room.unclear(asked, unclear)
            except Back:
                self.room.show(asked)

    def _send(self, command: commands.Command, who: str, nonce: str = "") -> None:
        """Send what somebody says. Raises Moved when it was done."""
        if self.room.send(command, self.room.controller(who), nonce) is None:
            raise Moved

    # -- answers

    def _answer(self, slot: str, prompt: Prompt, who: str) -> None:
        if prompt.ask.plan is not None:
            self._roll(slot, prompt, prompt.ask.plan, who)
        elif prompt.ask.key.startswith(WITNESS):
            self._witness(slot, prompt, who)
        else:
            self._choose(slot, prompt, who)

    def _choose(self, slot: str, prompt: Prompt, who: str) -> None:
        room, key = self.room, prompt.ask.key
        seen = room.session.prompts(reader=room.reader).get(slot)
        asked = Asked(
            who=who,
            title=f"{room.name(who)} answers:",
            choices=tuple([self._option(option, key) for option in prompt.ask.options or ()]),
            is_private=seen is None or seen.ask.options is None,
            why_not=lambda rest: [f"Nobody acts until {room.name(who)} has answered; ? shows the answers there are."],
        )

        def take(line: str) -> None:
            value = str(pick(line, asked.choices, WORDS).value)
            self._send(commands.Answer(slot=slot, who=who, value=value), who)

        self._until_done(asked, take)

    def _option(self, option: Option, key: str) -> Choice:
        word = self.room.texts.word(option.code, key)
        value = "" if option.value is None else f", {option.value}"
        code = "" if plain(word) == plain(option.code) else f" ({option.code})"
        return Choice(option.code, f"{word}{code}{value}", (word, option.code))

    def _witness(self, slot: str, prompt: Prompt, who: str) -> None:
        """A witness sends random text along, which only who sits there can make up."""
        options = prompt.ask.options
        assert options, "bearing witness is the one option"
        asked = Asked(who=who, title=f"{self.room.name(who)} bears witness: type {RANDOM}.")

        def take(line: str) -> None:
            self._send(commands.Answer(slot=slot, who=who, value=options[0].code), who, nonce=line)

        self._until_done(asked, take)

    def _roll(self, slot: str, prompt: Prompt, plan: DicePlan, who: str) -> None:
        room = self.room
        dice = prompt.ask.notation.partition("#")[0].strip() or plan_text(plan)
        asked = Asked(
            who=who,
            title=f"{room.name(who)} rolls {dice} for {room.texts.word(prompt.ask.key, 'roll')}: {wanted(plan)}.",
            hints=tuple(explained(plan)),
            is_blank_fine=not any(term.count for term in plan.terms),
            why_not=lambda rest: [f"Nobody acts until {room.name(who)} has rolled; ? says what to throw."],
        )

        def take(line: str) -> None:
            if line[:1].isalpha() and near(line.partition(" ")[0], WORDS):
                raise Unclear(unknown(line, WORDS))
            faces = read_faces(plan, line, lambda why, die: self._next_face(who, why, term_of(plan, die).sides))
            self._send(commands.Report(slot=slot, who=who, faces=faces), who)

        self._until_done(asked, take)

    def _next_face(self, who: str, why: str, sides: int) -> int:
        """One more face of a die that goes on."""
        asked = Asked(who=who, title=f"{why[0].upper()}{why[1:]}: what does it show next?")
        self.room.show(asked)
        while True:
            try:
                return check_face(one_face(ask(self.room, asked)), sides)
            except Unclear as unclear:
                self.room.unclear(asked, unclear)

    # -- declarations

    def _act(self, who: str) -> None:
        room = self.room
        forms = room.session.actions(who) if who else ()
        if not forms and who not in ("", room.state.turn):
            room.say(f"There is nothing that {room.name(who)} can do now.")
            who = room.state.turn or self._anybody()
            forms = room.session.actions(who) if who else ()
        choices = [Choice(index, summary(form, room.state), (words(form.name), form.name)) for index, form in enumerate(forms)]
        nothing = f"There is nothing that {room.name(who)} can do." if who else "Nobody is to act now."
        asked = Asked(
            who=who,
            title=f"What does {room.name(who)} do?" if forms else nothing,
            choices=tuple(choices),
            is_private=not room.is_open_book(who),
            why_not=lambda rest: self._why_not(who, forms, choices, rest),
        )

        def take(line: str) -> None:
            draft = self._draft(forms, leading(line, choices, WORDS))
            if draft.open():
                self._fill(draft, asked)
            self._send(_declaration(draft, who), who)

        self._until_done(asked, take)

    def _draft(self, forms: tuple[Form, ...], said: tuple[Choice, str]) -> Draft:
        """What a choice of a form and the rest of its line declare. Raises Unclear."""
        form = forms[int(said[0].value)]
        system = self.room.catalog.rules(self.room.session.manifest).system
        draft = draft_of(form, system.actions[form.name], self.room.state, self.room.texts)
        draft.say(said[1])
        return draft

    def _fill(self, draft: Draft, asked: Asked) -> None:
        """Ask for what a declaration leaves open."""
        room = self.room
        for blank in draft.blanks:
            while blank in draft.open():
                question = _of_blank(blank, asked, draft)
                room.show(question)
                try:
                    _put(draft, blank, ask(room, question, f"{room.name(asked.who)}, {blank.label}"))
                except Unclear as unclear:
                    room.unclear(question, unclear)
        if not asked.is_private:
            room.say(f"(in one line: {in_one_line(draft, room.state)})")

    def _why_not(self, who: str, forms: tuple[Form, ...], choices: list[Choice], rest: str) -> Iterator[str]:
        """Why an action cannot be declared; without a name, why all those cannot that are not offered. Raises Unclear."""
        room = self.room
        missing = {name: f"{words(name)}: {room.why(refused)}" for name, refused in not_offered(room.session, room.catalog, who)}
        if not rest:
            yield from missing.values()
            return
        said = leading(rest, [*choices, *[Choice(name, words(name), (words(name), name)) for name in missing]], WORDS)
        if said[0].value in missing:
            yield missing[said[0].value]
            return
        draft = self._draft(forms, said)
        if left := [blank.label for blank in draft.open()]:
            raise Unclear(f"Say it whole; still open: {listed(left)}.")
        try:
            found = would_refuse(room.session, room.catalog, _declaration(draft, who))
        except AffrayError as error:
            yield explain(error)[0]
            return
        yield room.why(found) if found is not None else "Nothing stands against it."


def _declaration(draft: Draft, who: str) -> commands.Declare:
    return commands.Declare(actor=who, name=draft.form.name, targets=tuple(draft.targets), params=draft.params)


def _of_blank(blank: Blank, asked: Asked, draft: Draft) -> Asked:
    """The question that fills a blank."""
    hints: list[str] = []
    if not blank.choices:
        hints.append("typed freely; JSON where it is that, else text")
    if blank.most > 1:
        named = len(draft.targets)
        hints.append(f"{blank.least} to {blank.most} may be named, {named} {'is' if named == 1 else 'are'}; Enter goes on")
    elif blank.is_optional:
        hints.append("Enter for none")
    return Asked(
        who=asked.who,
        title=f"{blank.label.capitalize()}?",
        choices=blank.choices,
        hints=tuple(hints),
        is_private=asked.is_private,
        is_blank_fine=blank.is_optional or blank.most > 1,
        why_not=asked.why_not,
    )


def _put(draft: Draft, blank: Blank, line: str) -> None:
    """Fill a blank with what was typed. Raises Unclear."""
    if not line:
        draft.close(blank)
    elif not blank.choices:
        draft.fill(blank, line)
    elif blank.most == 1:
        draft.put(blank, pick(line, blank.choices, WORDS).value)
    else:
        for word in split(line.replace(",", " ")):
            draft.put(blank, pick(word, blank.choices, WORDS).value)


__all__ = ["Game"]
