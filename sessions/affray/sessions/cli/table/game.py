"""A fight at one keyboard: whoever has to answer, to roll or to act is asked, until the fight is over.

What is asked follows from the stored session alone, so that a game goes on after a restart at the very prompt. Every
command is stored before the next question.
"""

from __future__ import annotations

from collections.abc import Iterator

from affray.kernel import GM, WITNESS, AffrayError, Form, Option, Prompt, commands

from ...views.sums import plan_text
from ...views.texts import words
from ..failures import explain
from .choices import Choice, Unclear, leading, near, pick, plain, unknown
from .drafts import Blank, Draft, draft_of, in_one_line, split, summary
from .faces import check_face, explained, read_faces, term_of, wanted
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
        begin = Choice("begin", "begin")
        asked = Asked(who="", title="The fight has not begun.", choices=(begin,))
        self.room.show(asked)
        while True:
            try:
                pick(ask(self.room, asked), asked.choices, WORDS)
            except Unclear as unclear:
                self.room.unclear(asked, unclear)
                continue
            except Back:
                continue
            if self.room.send(commands.Begin(), GM) is None:
                raise Moved

    # -- answers

    def _answer(self, slot: str, prompt: Prompt, who: str) -> None:
        if prompt.ask.plan is not None:
            self._roll(slot, prompt, who)
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
        room.show(asked)
        while True:
            try:
                value = str(pick(ask(room, asked), asked.choices, WORDS).value)
            except Unclear as unclear:
                room.unclear(asked, unclear)
                continue
            except Back:
                room.show(asked)
                continue
            self._send(commands.Answer(slot=slot, who=who, value=value), who)

    def _option(self, option: Option, key: str) -> Choice:
        word = self.room.texts.word(option.code, key)
        value = "" if option.value is None else f", {option.value}"
        code = "" if plain(word) == plain(option.code) else f" ({option.code})"
        return Choice(option.code, f"{word}{code}{value}", (word, option.code))

    def _witness(self, slot: str, prompt: Prompt, who: str) -> None:
        """A witness sends random text along, which only who sits there can make up."""
        room = self.room
        asked = Asked(who=who, title=f"{room.name(who)} bears witness: type {RANDOM}.")
        room.show(asked)
        while True:
            try:
                text = ask(room, asked)
            except Back:
                continue
            value = (prompt.ask.options or (Option(code=""),))[0].code
            if room.send(commands.Answer(slot=slot, who=who, value=value), room.controller(who), nonce=text) is None:
                raise Moved

    def _roll(self, slot: str, prompt: Prompt, who: str) -> None:
        room, plan = self.room, prompt.ask.plan
        assert plan is not None
        dice = prompt.ask.notation.partition("#")[0].strip() or plan_text(plan)
        asked = Asked(
            who=who,
            title=f"{room.name(who)} rolls {dice} for {room.texts.word(prompt.ask.key, 'roll')}: {wanted(plan)}.",
            hints=tuple(explained(plan)),
            is_blank_fine=not any(term.count for term in plan.terms),
            why_not=lambda rest: [f"Nobody acts until {room.name(who)} has rolled; ? says what to throw."],
        )
        room.show(asked)

        def more(why: str, die: int) -> int:
            """One more face of a die that goes on."""
            sides = term_of(plan, die).sides
            again = Asked(who=who, title=f"{why[0].upper()}{why[1:]}: what does it show next?")
            room.say(again.title)
            while True:
                typed = ask(room, again)
                try:
                    if not (typed.isascii() and typed.isdigit() and len(typed) < 9):
                        raise Unclear("One face is asked for.")
                    return check_face(int(typed), sides)
                except Unclear as unclear:
                    room.unclear(again, unclear)

        while True:
            try:
                faces = read_faces(plan, _dice(ask(room, asked)), more)
            except Unclear as unclear:
                room.unclear(asked, unclear)
                continue
            except Back:
                room.show(asked)
                continue
            self._send(commands.Report(slot=slot, who=who, faces=faces), who)

    # -- declarations

    def _act(self, who: str) -> None:
        room = self.room
        forms = room.session.actions(who) if who else ()
        if not forms and who not in ("", room.state.turn):
            room.say(f"There is nothing that {room.name(who)} can do now.")
            who = room.state.turn or self._anybody()
            forms = room.session.actions(who) if who else ()
        choices = [Choice(index, summary(form, room.state), (words(form.name), form.name)) for index, form in enumerate(forms)]
        asked = Asked(
            who=who,
            title=f"What does {room.name(who)} do?" if forms else f"There is nothing that {room.name(who)} can do.",
            choices=tuple(choices),
            is_private=not room.is_open_book(who),
            why_not=lambda rest: self._why_not(who, forms, choices, rest),
        )
        room.show(asked)
        while True:
            try:
                line = ask(room, asked)
                draft, is_whole = self._draft(forms, choices, line)
                if not is_whole:
                    self._fill(draft, asked)
                self._send(_declaration(draft, who), who)
            except Unclear as unclear:
                room.unclear(asked, unclear)
            except Back:
                room.show(asked)

    def _draft(self, forms: tuple[Form, ...], choices: list[Choice], line: str) -> tuple[Draft, bool]:
        """What a line declares, and whether that is all. Raises Unclear."""
        choice, rest = leading(line, choices, WORDS)
        form = forms[choice.value]
        system = self.room.catalog.rules(self.room.session.manifest).system
        draft = draft_of(form, system.actions[form.name], self.room.state, self.room.texts)
        draft.say(rest)
        return draft, not draft.open()

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

    def _send(self, command: commands.Command, who: str) -> None:
        """Send what somebody says. Raises Moved when it was done; where the dice wait for a player, ask that person for the random text they want."""
        room, caller = self.room, self.room.controller(who)
        refused = room.send(command, caller)
        if refused is not None and refused.code == "dice-wait-for-nonce" and caller != GM:
            asked = Asked(who=who, title=f"{room.name(who)}, type {RANDOM}.")
            room.show(asked)
            refused = room.send(command, caller, nonce=ask(room, asked))
        if refused is None:
            raise Moved

    def _why_not(self, who: str, forms: tuple[Form, ...], choices: list[Choice], rest: str) -> Iterator[str]:
        room = self.room
        if not rest:
            for name, refused in not_offered(room.session, room.catalog, who):
                yield f"{words(name)}: {room.why(refused)}"
            return
        offered = {form.name for form in forms}
        for name, refused in not_offered(room.session, room.catalog, who):
            if plain(rest).startswith(plain(name)) and name not in offered:
                yield f"{words(name)}: {room.why(refused)}"
                return
        draft, is_whole = self._draft(forms, choices, rest)
        if not is_whole:
            left = ", ".join([blank.label for blank in draft.open()])
            raise Unclear(f"Say it whole; still open: {left}.")
        try:
            found = would_refuse(room.session, room.catalog, _declaration(draft, who))
        except AffrayError as error:
            yield explain(error)[0]
            return
        yield room.why(found) if found is not None else "Nothing stands against it."


def _dice(line: str) -> str:
    """What was typed for dice. Raises Unclear for what looks like one of the words."""
    if line[:1].isalpha() and near(line.partition(" ")[0], WORDS):
        raise Unclear(unknown(line, WORDS))
    return line


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
        for word in split(line):
            draft.put(blank, pick(word, blank.choices, WORDS).value)


__all__ = ["Game"]
