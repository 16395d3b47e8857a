"""Why a command was refused, in plain sentences for every code of the kernel and of sessions themselves.

A rules system's own sentence (`refused.<code>`) goes first; a code that neither knows is read as words. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from affray.kernel import Refused, State

from .sentences import refusal
from .texts import Texts, fill, listed

REFUSED: Mapping[str, str] = {
    # who may do what
    "gm-only": "Only the game master may do that.",
    "not-yours": "That is for somebody else to do.",
    "partial-copy": "This is a copy without its kept parts or the secret of its dice: it can be read, not played on.",
    "command-id-used": "The command id {0} was used for something else before.",
    # people and actions
    "no-such-combatant": "Nobody in this fight has the id {0}.",
    "already-joined": "Somebody in this fight has the id {0} already.",
    "too-many-combatants": "A fight has room for {0} combatants.",
    "gone": "{0} has left the fight.",
    "nobody-there": "Nobody has joined the fight yet.",
    "not-begun": "The fight has not begun.",
    "already-begun": "The fight has begun already.",
    "over": "The fight is over.",
    "not-your-turn": "It is not {0}'s turn.",
    "not-allowed": "{0} cannot do that now: {1}.",
    "not-a-target": "{0} cannot be a target of that.",
    "wrong-number-of-targets": "That is not done to {0} targets at once.",
    "no-such-action": "There is no such action: {0}.",
    # answers
    "prompt-open": "First {0}.",
    "no-such-prompt": "Nothing of that name is asked: {0}.",
    "not-asked": "{0} is not asked.",
    "already-answered": "{0} has answered already.",
    "no-such-option": "{0} is not among the answers; there are {1}.",
    # dice
    "dice-wanted": "Dice are asked for, not a choice.",
    "no-dice-wanted": "A choice is asked for, not dice.",
    "wrong-dice": "These dice do not fit: {0}.",
    "bad-dice": "These dice cannot be thrown: {0}.",
    "dice-capped": "These dice go on for too long: {0}.",
    "script-exhausted": "The script has no faces left for this roll.",
    "nonce-wanted": "Whoever bears witness sends some random text along (a nonce).",
    "dice-wait-for-nonce": "The dice wait for some random text from a player (a nonce), since their secret was opened.",
    "dice-epochs-used-up": "The secret of the dice was opened {0} times, and no other is left.",
    "no-such-chain": "There is no dice chain {0}; there are open and kept.",
    # going back
    "nothing-to-undo": "There is nothing to undo.",
    "already-undone": "That action is undone already: {0}.",
    "needs-amend": "Something followed that action, so it cannot be undone alone: {0}. 'affray amend SESSION --at {1} --drop' tells what the fight is without it.",
    "dice-thrown": "Dice were thrown since, and this table does not take them back.",
    "nothing-to-redo": "There is no undo to go back on.",
    # amending
    "not-present": "Version {0} does not count any more: it was undone, or done again since. 'affray log SESSION' lists what counts.",
    "not-amendable": "What version {0} holds belongs to the log itself and cannot be amended.",
    "nothing-to-go-on": "There is no amend that stopped and could go on.",
    "amend-failed": "That cannot be carried out, at {0}: {1}.",
    "turn-held": "First {0} has to act.",
    "half-done": "What was done last is not finished: its dice still wait.",
    # other rules
    "rules-unchanged": "Those are the rules that are in force already.",
    # asking
    "no-such-pool": "{0} has no pool {1}.",
    "too-many-branches": "That has too many outcomes to count, more than {0} branches.",
    # opening
    "no-such-version": "There is no version {0}.",
    "already-revealed": "What version {0} kept is open already.",
    "nothing-kept": "Nothing is kept at version {0}.",
}
"""Code -> sentence; {0}, {1} and so on are the refusal's arguments."""

AS_TYPED = frozenset(
    ["amend-failed", "already-joined", "already-undone", "bad-dice", "command-id-used", "dice-capped", "needs-amend", "no-such-action", "no-such-chain", "no-such-combatant", "no-such-prompt", "wrong-dice"]
)
"""Codes whose arguments are ids or messages, to be told as they stand."""


def why(texts: Texts, refused: Refused, state: State | None = None) -> str:
    """Why a command was refused, in a sentence."""
    template = REFUSED.get(refused.code)
    if template is None or texts.has(f"refused.{refused.code}"):
        return refusal(texts, refused, state)
    said = fill(template, {str(index): text for index, text in enumerate(_told(texts, refused, state))})
    assert said is not None, "no value is unknown"
    return said.text


def _told(texts: Texts, refused: Refused, state: State | None) -> list[str]:
    """The arguments as they are told."""
    known = state.combatants if state is not None else {}
    args = [str(arg) for arg in refused.args]
    if refused.code in AS_TYPED:
        return [arg.removeprefix("dice: ").removesuffix(".") for arg in args]
    if refused.code == "prompt-open":
        return [_waited_for(args[0], state)]
    if refused.code == "no-such-option":
        return [args[0], listed(args[1:])]
    return [known[arg].name if arg in known else texts.word(arg) for arg in args]


def _waited_for(slot: str, state: State | None) -> str:
    """Whose answer everybody waits for."""
    prompt = state.prompts.get(slot) if state is not None else None
    if prompt is None or state is None:
        return "somebody has to answer"
    people = [state.combatants[who].name for who in prompt.ask.who if who not in prompt.answers]
    return f"{listed(people)} {'has' if len(people) == 1 else 'have'} to {'answer' if prompt.ask.plan is None else 'roll'}"


__all__ = ["REFUSED", "why"]
