"""What the steps of a tug of war are, and how they read."""

from __future__ import annotations

STEPS = {
    "order": "order: everybody's first turn",
    "next": "order: the next turn",
    "acted": "end of turn",
    "effort": "change: breath spent on a pull",
    "windup": "wait: a heave takes a while",
    "brace": "prompt and pull of who is pulled at",
    "pull": "rolls of both, and verdict of the puller",
    "drag": "damage: feet toward the line",
    "line": "condition and order: who was dragged over it",
    "feet": "roll and save of who leaned",
    "stumble": "change: breath lost by a stumble",
    "breath": "roll and change: breath won back",
}

TEXTS = {
    "declare.pull": "{actor} pulls at {target}.",
    "declare.heave": "{actor} makes ready to heave at {target}.",
    "declare.breathe": "{actor} breathes.",
    "ask.brace": "How does {who} brace?",
    "defend.brace": "{who} holds with {value}.",
    "judge.pull.dragged": "{by} pulls more.",
    "judge.pull.held": "Nobody gives way.",
    "judge.pull.pulled": "{against} pulls back harder.",
    "apply-damage.drag": "{target} is dragged {value} feet.",
    "change.effort": "{target} puts the back into it: breath {before} → {after}.",
    "change.breath": "{target} is at breath {after} again.",
    "change.stumble": "{target} stumbles: breath {before} → {after}.",
    "condition.line.gained": "{target} is over the line.",
    "save.feet.stands": "{who} stays standing.",
    "save.feet.stumbles": "{who} stumbles.",
    "refused.out-of-breath": "That takes {0} breath, and {1} is left.",
    "close.won-by": "The rope is {side}'s.",
}
