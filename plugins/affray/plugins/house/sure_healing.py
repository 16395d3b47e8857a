"""Sure healing: points that are due heal without a health roll each (primer). Who is dead still rolls for it."""

from __future__ import annotations

from typing import Any

from affray.kernel import Action, Change, Fight, Row, Steps, exact, hookimpl, number, total

NAME = "sure-healing"


class SureHealing:
    """Every healing point that is due heals, without a roll."""

    title = "Sure healing"
    release = "1"
    systems = ("primer",)

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps | None:
        """Resolve healing of the living; leave everything else to the system."""
        is_sure = action.name == "heal" and action.params.points and not fight.has(action.target, "dead")
        return self.heal(action) if is_sure else None

    def heal(self, action: Action) -> Steps:
        """Mend the pool, and the area where one is named."""
        params: Any = action.params
        rows = [Row("points", params.points, NAME), Row("given", params.given, "fight")]
        trace = tuple([row for row in rows if exact(row.amount)])
        value = number(total(row.amount for row in trace))
        for pool in (params.pool.lower(), f"area-{params.area}"):
            if pool != "area-":
                yield Change("healing", target=action.target, pool=pool, value=value, trace=trace)
        return "healed"
