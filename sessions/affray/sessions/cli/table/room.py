"""The room people play in: the session, the page that everybody sees, the keyboard, and how one person is asked.

Whoever is asked is named in front of the cursor. What only that person may see is not shown until `look` asks for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator

import click
import msgspec

from affray.kernel import (
    GM,
    AffrayError,
    Damaged,
    Refused,
    Request,
    State,
    VersionConflict,
    commands,
)

from ...catalog import Catalog
from ...entropy import fresh_nonce
from ...session import Session
from ...views.refusals import why
from ...views.texts import Texts, printable
from ..commanding import new_id
from ..failures import explain
from ..playing import Telling
from ..printing import Page, has_colour
from ..reader import texts_of
from .choices import Choice, Unclear, lines, plain
from .keyboard import Keyboard

SCREEN_ASIDE, SCREEN_BACK = "\x1b[?1049h\x1b[H", "\x1b[?1049l"
"""Lead a terminal to a second screen, and back to the first as it was."""

class Moved(Exception):
    """The fight stands elsewhere than before, or somebody else is to be asked: whoever asks looks again."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What one person is asked. `who` is a combatant, "" for nobody's turn; `hints` say how it may be answered.

    `is_private` says that the choices are not for everybody's eyes. `is_blank_fine` says that an empty line is an
    answer. `why_not` tells why what somebody types cannot be done.
    """

    who: str
    title: str
    choices: tuple[Choice, ...] = ()
    hints: tuple[str, ...] = ()
    is_private: bool = False
    is_blank_fine: bool = False
    why_not: Callable[[str], Iterable[str]] | None = None


class Room:
    """Everything that asking a person takes. `as_who` is whom somebody wants to speak for next."""

    def __init__(self, session: Session, catalog: Catalog, reader: str, telling: Telling, keyboard: Keyboard) -> None:
        self.session = session
        self.catalog = catalog
        self.reader = reader
        self.telling = telling
        self.page: Page = telling.page
        self.keyboard = keyboard
        self.texts: Texts = texts_of(session.state())
        self.as_who = ""
        self._failed: Request | None = None

    @property
    def state(self) -> State:
        """The fight as it stands, with all that is kept."""
        return self.session.state(reader=GM)

    def name(self, who: str) -> str:
        """What a combatant is called; the game master, for nobody."""
        someone = self.state.combatants.get(who)
        return printable(someone.name) if someone is not None else GM

    def label(self, who: str) -> str:
        """What stands in front of the cursor: the combatant, and who plays it where that is another name."""
        controller = self.controller(who)
        is_told = plain(controller) in (plain(who), plain(self.name(who)))
        return self.name(who) if is_told else f"{self.name(who)} ({controller})"

    def controller(self, who: str) -> str:
        """In whose name a combatant's commands are sent."""
        someone = self.state.combatants.get(who)
        return someone.controller if someone is not None else GM

    def is_open_book(self, who: str) -> bool:
        """Whether everybody at the screen may see what a combatant can do."""
        someone = self.state.combatants.get(who)
        return someone is None or not someone.secret or self.reader in (GM, someone.controller)

    # -- showing

    def say(self, *sentences: str) -> None:
        """Lines beside the transcript."""
        self.page.rows([printable(sentence) for sentence in sentences])

    def show(self, asked: Asked) -> None:
        """What somebody is asked, as far as everybody may see it."""
        self.say(asked.title)
        if asked.is_private:
            self.say(f"  (for {self.name(asked.who)} alone: look shows what there is to choose)")
        else:
            self.page.rows(_indented(self.offered(asked)))

    def unclear(self, asked: Asked, problem: Unclear) -> None:
        """Why something was not understood; without the names of what is not for everybody."""
        if asked.is_private:
            self.say("That is not clear; look shows what there is to choose.")
        else:
            self.say(str(problem))

    def look(self, asked: Asked) -> None:
        """What somebody may choose, for that person alone: on a terminal, on a screen that leaves no trace."""
        shown = [asked.title, *_indented(self.offered(asked))]
        if not (asked.is_private and self.keyboard.is_edited and has_colour(sys.stdout)):
            self.page.rows(shown)
            return
        click.echo(SCREEN_ASIDE, nl=False)
        try:
            self.page.rows(shown)
            self.keyboard.line("Enter goes back ")
        finally:
            click.echo(SCREEN_BACK, nl=False)

    def offered(self, asked: Asked) -> Iterator[str]:
        """The choices and hints of a question, in lines."""
        yield from lines(asked.choices)
        yield from asked.hints

    # -- sending

    def send(self, command: commands.Command, caller: str, nonce: str = "") -> Refused | None:
        """Send a command; what it makes is told as it is stored. Raises Moved when somebody else was faster.

        A refusal, or what went wrong without harm, is told and given back: then the question stands as it was.
        """
        request = self._request(command, caller, nonce)
        self._failed = None
        try:
            answer = self.session.do(request)
        except VersionConflict:
            self.say("Somebody else was faster; this is how it stands now.")
            raise Moved from None
        except Damaged:
            raise
        except AffrayError as error:
            self._failed = request
            self.say(f"That did not work: {explain(error)[0]}")
            return Refused("failed")
        if answer.refused is not None:
            self.say(f"Refused: {self.why(answer.refused)}")
        return answer.refused

    def _request(self, command: commands.Command, caller: str, nonce: str) -> Request:
        """A new request, a player's with random text that goes into the dice; or the one that failed last, said again.

        So that whoever tries again meets the same dice, and what was stored after all does not happen twice.
        """
        failed = self._failed
        if failed is not None and (failed.command, failed.caller) == (command, caller) and nonce in ("", failed.nonce):
            return failed
        if caller != GM and not nonce:
            nonce = fresh_nonce()
        return Request(id=new_id(), command=command, caller=caller, seen=self.session.head, nonce=nonce)

    def why(self, refused: Refused) -> str:
        """Why something is refused, in a sentence."""
        return why(self.texts, refused, self.state)


def _indented(rows: Iterable[str]) -> Iterator[str]:
    for row in rows:
        yield f"  {printable(row)}"


__all__ = ["Asked", "Moved", "Room"]
