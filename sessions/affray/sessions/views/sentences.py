"""A plain sentence for every kind of event, without any plugin (law 11); a plugin's templates make it nicer.

A template is looked up under the kind and its codes, the most special first. The names it may use:

| kind | keys | names beside `key` and `code` |
|---|---|---|
| declare | declare.NAME.VALUE of a parameter, declare.NAME | actor, target, action, every parameter |
| ask | ask.KEY | who, options |
| choose | choose.KEY.VALUE, choose.KEY | who, value |
| roll | roll.KEY.TOTAL, roll.KEY | by, dice ("d10 shows 3"), total |
| defend | defend.KEY.CODE, defend.KEY | who, value, sum |
| judge | judge.KEY.CODE, judge.KEY | by, against, dice, total, goal, margin (without its sign), sum |
| save | save.NAME.CODE, save.NAME | who, name, dice, total, goal, margin, sum, consequences |
| apply-damage | apply-damage.KEY.TYPE, apply-damage.KEY | target, actor, location, value, type, sum, before, after |
| change | change.KEY, change.POOL | target, pool, value (without its sign), before, after, sum |
| condition | condition.KEY.CODE, condition.ID.CODE, condition.KEY, condition.ID | target, id, value, before, after, until |
| done | done.NAME.CODE | actor, target, action |
| turn | turn.end.KEY, turn.end; turn.MOMENT.ENTRY, turn.MOMENT | who, at (the first part of the moment) |
| order, wait | order.KEY, wait.KEY | who; at |
| close | close.CODE and its beginnings | side (what follows the beginning) |
| refused | refused.CODE | 0, 1, ... |

A sum and the pools before and after are added to sentences that do not use their names.
"""

from __future__ import annotations

from typing import Any

from affray.kernel import Refused, State

from .action_sentences import DRAFTS as ACTIONS
from .scene import Draft, Scene, finish
from .table_sentences import DRAFTS as TABLE
from .texts import Said, Texts, words

DRAFTS = {**TABLE, **ACTIONS}
"""Kind -> draft of its sentence: every kind there is."""


def draft(scene: Scene, event: Any) -> Draft:
    """The draft of an event's sentence."""
    return DRAFTS[type(event)](scene, event)


def sentence(scene: Scene, event: Any) -> Said:
    """What an event says, by a template or plainly."""
    return finish(scene.texts, draft(scene, event), getattr(event, "by_rules", ()))


def refusal(texts: Texts, refused: Refused, state: State | None = None) -> str:
    """Why a command was refused."""
    known = state.combatants if state is not None else {}

    def told(arg: int | str) -> str:
        if isinstance(arg, int):
            return str(arg)
        return known[arg].name if arg in known else texts.word(arg)

    args = [told(arg) for arg in refused.args]
    details = f" ({', '.join(args)})" if args else ""
    made = Draft(
        (f"refused.{refused.code}",),
        {str(index): text for index, text in enumerate(args)},
        words(refused.code).capitalize() + details,
    )
    return finish(texts, made).text
