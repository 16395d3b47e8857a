"""Change a number together with the rows that explain it, which a ruling has to do. No rule itself."""

from __future__ import annotations

from msgspec.structs import replace

from affray.kernel import ApplyDamage, Exact, Fight, Row, exact, number


def harder(step: ApplyDamage, more: Exact, rule: str) -> ApplyDamage:
    """Give damage that is greater by `more` (less, where that is negative), with a row that names the rule."""
    row = Row(rule, number(more), rule)
    value = number(exact(step.value) + more)
    if step.parts:
        *others, last = step.parts
        last = replace(last, rows=(*last.rows, row), value=number(exact(last.value) + more))
        return replace(step, value=value, parts=(*others, last))
    return replace(step, value=value, trace=(*(step.trace or (Row("damage", step.value, "roll"),)), row))


def system_of(fight: Fight) -> str:
    """Name the rules system of the fight."""
    manifest = fight.state.manifest
    assert manifest is not None, "a log begins with its manifest"
    return manifest.system.id
