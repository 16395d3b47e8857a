"""A log of a fight under the primer's rules, told in the rows of part 4 of the page.

A row is made out of what the log recorded, and of the sheets and options that stand in it: nothing is taken from a vector.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import msgspec

from affray.kernel import (
    ApplyDamage,
    Change,
    Close,
    Condition,
    Declare,
    Defend,
    Done,
    Event,
    Exact,
    Judge,
    Open,
    Order,
    Save,
    State,
    Touch,
    Trace,
    Turn,
    Wait,
    exact,
    fold,
)
from affray.plugins.primer.armour import knockback_pct
from affray.plugins.primer.harm import pool_factor
from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.sheet import Sheet
from affray.plugins.primer.tables import (
    COUNTS_PER_MINUTE,
    DAMAGE_TYPES,
    DIFFICULTIES,
    ITEMS,
    MINUTES_PER_HOUR,
    STATES,
)

from .primer_vectors import Record, printed_item, printed_state, told

UNITS = {"unconscious": ("minutes", COUNTS_PER_MINUTE), "comatose": ("hours", COUNTS_PER_MINUTE * MINUTES_PER_HOUR)}
"""State -> the unit of its duration, and the counts in it; of other states it is the count, of the dead the minute."""


def amounts(trace: Trace | None) -> dict[str, Exact]:
    """The rows of a trace by code, added up."""
    found: dict[str, Exact] = {}
    for row in trace or ():
        found[row.code] = found.get(row.code, 0) + exact(row.amount)
    return found


class Teller:
    """Reads a log and tells it in the rows of part 4. What a row needs from earlier events is kept until the row is complete."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.state = State()
        self.options = PrimerOptions()
        self.rows: list[Record] = []
        self.last: dict[str, Any] = {}  # the latest step of a kind and key, by "kind key"
        self.declared: dict[str, Declare] = {}
        self.lost: dict[str, Exact] = {}  # what an action spent and sold
        self.told_together: list[str] = []
        self.armor: Exact = 0
        self.worn: Record = {}
        self.wounded: Record = {}

    def tell(self) -> list[Record]:
        for version, event in enumerate(self.events, 1):
            self.state = fold(self.state, event, version)
            for row in self._rows_of(event):
                self.rows.append(told({"at": self.state.at[0] if self.state.at else 0, **row}))
            key = getattr(event, "key", "")
            self.last[f"{type(event).__name__} {key}"] = event
        return self.rows

    def sheet(self, who: str) -> Sheet:
        return msgspec.convert(self.state.combatants[who].sheet, Sheet)

    def skill(self, who: str) -> str:
        return self.state.combatants[who].conditions["reaction"].source

    def most(self, who: str, pool: str) -> Exact:
        high = (self.state.combatants[who].ranges or {})[pool].high
        assert high is not None
        return exact(high)

    def _rows_of(self, event: Event) -> Iterator[Record]:
        match event:
            case Open(manifest=manifest):
                self.options = msgspec.convert(manifest.options, PrimerOptions)
            case Turn(moment="begin"):
                people = self.state.combatants
                options = msgspec.to_builtins(self.options)
                pools = {who: {"HTK": one.pools["htk"]} for who, one in people.items()}
                yield {"event": "fight_started", "participants": [*people], "options": options, "pools": pools}
            case Order(key="stimulus", entries=entries) if len(entries) > 1:
                self.told_together = [entry.who for entry in entries]
                yield {"event": "stimulus", "who": self.told_together}
            case Turn(moment="stimulus", who=who):
                if who not in self.told_together:
                    yield {"event": "stimulus", "who": [who]}
                self.told_together = [other for other in self.told_together if other != who]
            case Order(key="reaction"):
                yield self._initiative(event)
            case Declare(action=action):
                self.declared[action] = event
            case Change(key="action-points", trace=trace, action=action) if action in self.declared:
                self.lost[action] = -sum([exact(row.amount) for row in trace or ()])
            case Wait(key="resolve"):
                yield self._declaration(event)
            case Done(action=action, code=why, cause=cause) if cause and why in STATES:
                lost = self.lost.get(action, 0)
                yield {
                    "event": "action_cancelled",
                    "actor": self.declared[action].actor,
                    "why": printed_state(why),
                    "ap_lost": lost,
                }
            case Defend(key="DEF" | "MDF", who=who, code=stance, value=value):
                yield {
                    "event": "defence_declared",
                    "actor": who,
                    "stance": stance.replace("-", "_"),
                    "value": event.key if stance == "aware-defending" else None,
                    "opponent": exact(value or 0),
                    "pool_factor": pool_factor(stance, self.options),  # type: ignore[arg-type]
                }
            case Judge(key="attack"):
                yield self._skill(event)
            case Judge(key="critical-miss", by=by, goal=goal):
                level = self.last["Judge attack"].margin
                roll = self.last["Roll critical-miss"].total
                yield {"event": "critical_miss", "actor": by, "sl": level, "roll": roll, "total": goal}
            case Judge(key="base-damage"):
                yield self._base_damage(event)
            case Defend(key="absorption"):
                yield self._location(event.who)
            case ApplyDamage(key="damage"):
                yield from self._damage(event)
            case _:
                yield from self._aftermath(event)

    def _aftermath(self, event: Event) -> Iterator[Record]:
        match event:
            case Change(key="wear", pool=pool, after=after, value=value):
                item = printed_item(pool.removeprefix("wear-"))
                self.worn = {"event": "armor_damaged", "item": item, "loss": -exact(value or 0), "left": after}
            case ApplyDamage(key="area"):
                yield from self._wound(self.last["ApplyDamage damage"], event)
            case Save(key="system-shock"):
                yield from self._shock(event)
            case Save(key="health"):
                yield from self._health(event)
            case Condition(key="state", code="gained" | "renewed", source="system-shock"):
                yield self._state(event)
            case Judge(key="knockback"):
                yield self._knockback(event)
            case Close():
                helpless = {name for name, row in STATES.items() if not row.can_act}
                people = self.state.combatants
                yield {
                    "event": "fight_ended",
                    "standing": [who for who, one in people.items() if not helpless & one.conditions.keys()],
                }

    def _initiative(self, event: Order) -> Record:
        """An initiative, complete once its order is recorded. A row of INIT is what INIT_MOD has, with the other sign."""
        (entry,) = event.entries
        roll, judged = self.last["Roll initiative"], self.last["Judge initiative"]
        rows = amounts(judged.trace)
        skill = self.skill(entry.who)
        state = sum([rows.get(name, 0) for name in STATES])
        own = {"speed": 0, "level-factor": 0, "rank": 0, "secondary": 0}
        terms = {name: -rows.get(name, 0) for name in own}
        mods = -sum([amount for name, amount in rows.items() if name not in (*own, *STATES, "dice")])
        act = amounts(self.last["Change action-points"].trace)
        return {
            "event": "initiative_rolled",
            "actor": entry.who,
            "skill": skill,
            "kind": self.sheet(entry.who).kind_of(skill),
            "dice": [chain[0] for chain in roll.faces],
            "spd": 2 * terms["speed"],
            "lvf_term": terms["level-factor"],
            "rank_term": terms["rank"],
            "mods": mods,
            "secmods": terms["secondary"],
            "init_mod": sum(terms.values()) + mods,
            "state_init": state,
            "init": exact(judged.goal),
            "excess": exact(judged.margin),
            "count": exact(entry.when[0]) - exact(self.state.at[0]),
            "act": sum([amount for name, amount in act.items() if name not in ("left-over", "no-debt")]),
        }

    def _declaration(self, event: Wait) -> Record:
        declared = self.declared[event.action]
        params = declared.params
        speed = self.last["Judge speed"]
        spent = exact(speed.margin)
        sold = {name: ap for name, ap in params["ap_sold"].items() if ap}
        return {
            "event": "action_declared",
            "actor": declared.actor,
            "skill": self.skill(declared.actor),
            "weapon": params["weapon"],
            "target": declared.targets[0],
            "type": DAMAGE_TYPES[params["type"]].code,
            "called": params["called"],
            "wsd": amounts(speed.trace)["base-speed"],
            "speed": exact(speed.goal),
            "ap_spent": spent,
            "ap_sold": sold,
            "ap_bought": sum(params["ap_bought"].values()),
            "ap_left": exact(self.state.combatants[declared.actor].pools["act"] or 0),
            "resolves_at": exact(event.when[0]),
        }

    def _skill(self, event: Judge) -> Record:
        rows = amounts(event.trace)
        sheet, skill = self.sheet(event.by), self.skill(event.by)
        stat, rank = rows.get("stat-base", 0), rows.get("rank", 0)
        raw = stat + rows.get("untrained", 0) + rank
        lvf, roll = rows.get("level-factor", 0), self.last["Roll attack"].total
        opponent = -rows.get("opponent", 0)
        difficulty = next((name for name in DIFFICULTIES if name in rows), "standard")
        mods = {printed_state(name): rows[name] for name in STATES if name in rows}
        if "ap-sold" in rows:
            mods["ap_sold"] = rows["ap-sold"]
        return {
            "event": "skill_rolled",
            "actor": event.by,
            "stats": [sheet.stat(name) for name in sheet.stats_of(skill)],
            "rank": sheet.rank(skill),
            "sb": Fraction(stat) / 3,
            "bsc_raw": raw,
            "bsc": raw + rows.get("rounded", 0),
            "lvf": lvf,
            "lvf_used": lvf + rows.get("level-factor-cap", 0),
            "difficulty": difficulty.title(),
            "opponent": opponent,
            "diff": opponent - rows.get(difficulty, 0),
            "mods": mods,
            "secmods": rows.get("secondary", 0),
            "fsc": exact(event.goal or 0),
            "roll": roll,
            "roll_minus_fsc": roll - exact(event.goal or 0),
            "sl": event.margin,
        }

    def _base_damage(self, event: Judge) -> Record:
        rows = amounts(event.trace)
        names = {"weapon": "weapon", "material": "material", "magic": "magic", "rank_dam": "rank"}
        names |= {"secondary_dam": "secondary", "bought_dam": "bought"}
        return {
            "event": "base_damage",
            "dice": [chain[0] for chain in self.last["Roll damage"].faces],
            **{name: rows.get(code, 0) for name, code in names.items()},
            "wdb": sum([rows.get(name, 0) for name in STATES]),
            "bd": event.goal,
            "type": DAMAGE_TYPES[event.code].code,  # type: ignore[index]
        }

    def _location(self, who: str) -> Record:
        """A hit location, complete once the armour over it is recorded, which comes right behind it where there is any."""
        judged = self.last["Judge location"]
        latest = self.last.get("Defend armor")
        armor = latest if latest is not None and self._is_of_this_hit(latest) else None
        covered = [] if armor is None else [row.code for row in armor.trace if row.code in ITEMS]
        (row,) = judged.trace
        self.armor = 0 if armor is None else exact(armor.value)
        return {
            "event": "hit_location",
            "source": "rolled" if row.source == "roll" else "called",
            "roll": judged.goal,
            "area": judged.code.replace("-", "_"),
            "covered_by": [printed_item(name) for name in covered],
        }

    def _is_of_this_hit(self, armor: Defend) -> bool:
        judged = self.last["Judge location"]
        return (armor.action, self.events.index(armor) > self.events.index(judged)) == (judged.action, True)

    def _damage(self, event: ApplyDamage) -> Iterator[Record]:
        guard = self.last["Defend absorption"]
        yield {"event": "damage_resolved", "armor": self.armor, "absorb_pool": guard.code, **self._stages(event)}
        if self.worn:
            yield self.worn
        self.worn = {}
        if not exact(event.value):
            yield from self._wound(event, None)

    def _stages(self, event: ApplyDamage) -> Record:
        (part,) = event.parts or ()
        pool = self.last["Defend absorption"].code
        rate = DAMAGE_TYPES[event.type].rate  # type: ignore[index]
        rows = amounts(part.rows)
        bd = exact(part.rolled)
        available = exact(self.last["Defend absorption"].value)
        abd3 = bd + rows.get("reductions", 0)
        abd4 = abd3 + rows.get("armor", 0)
        soft, absorbed5 = min(self.armor, abd4), -rows.get(f"{pool}-soft", 0)
        abd5 = abd4 - absorbed5
        abd6 = abd5 + rows.get("success-level", 0)
        used5, absorbed7 = Fraction(absorbed5) / 4, -rows.get(pool, 0)
        used7 = Fraction(absorbed7) / rate
        return {
            "1_bd": bd,
            "pool_available": available,
            "3_abd": abd3,
            "4_stopped": -rows.get("armor", 0),
            "4_abd": abd4,
            "5_soft": soft,
            "5_hard": abd4 - soft,
            "5_absorbed": absorbed5,
            "5_pool_used": used5,
            "5_pool_left": available - used5,
            "5_abd": abd5,
            "6_factor": Fraction(exact(self.last["Judge attack"].margin)) / 2,
            "6_abd": abd6,
            "7_absorbed": absorbed7,
            "7_pool_used": used7,
            "7_pool_left": available - used5 - used7,
            "7_abd": abd6 - absorbed7,
            "8_bleed": rows.get("bleed", 0),
            "8_damage": exact(event.value),
            "8_pool": event.pools[0].upper(),
            "ended": "step 8" if abd4 else "step 4" if abd3 else "step 3",
        }

    def _taken(self, touch: Touch, who: str) -> tuple[Exact, Exact]:
        most = self.most(who, touch.pool)
        return most - exact(touch.before), most - exact(touch.after)

    def _wound(self, event: ApplyDamage, area: ApplyDamage | None) -> Iterator[Record]:
        (touch,) = event.touched or ()
        before, after = self._taken(touch, event.target)
        row = {
            "event": "wound",
            "who": event.target,
            "pool": touch.pool.upper(),
            "amount": exact(event.value),
            "taken_before": before,
            "taken": after,
            "max": self.most(event.target, touch.pool),
        }
        if area is not None:
            (place,) = area.touched or ()
            area_before, area_after = self._taken(place, event.target)
            name = place.pool.removeprefix("area-").replace("-", "_")
            row |= {"area": name, "area_taken_before": area_before, "area_taken": area_after}
            row["area_htk"] = self.most(event.target, place.pool)
        self.wounded = row
        yield row

    def _shock(self, event: Save) -> Iterator[Record]:
        """A system shock: what called for it, the level and how it comes about, the save."""
        quarters, judged = self.last["Judge quarters"], self.last["Judge system-shock"]
        terms = amounts(judged.trace)
        penalty = terms.get("quarters", 0)
        yield {
            "event": "save_required",
            "who": event.who,
            "save": event.name,
            "quarters_before": exact(quarters.goal) - exact(quarters.margin),
            "quarters_after": exact(quarters.goal),
            "penalty": penalty,
        }
        yield {
            **self._save(event, "Roll system-shock"),
            "base_sl": exact(judged.margin),
            "penalty": penalty,
            "exertion": sum([terms.get(name, 0) for name in ("heavy", "light", "resting")]),
            "final_sl": event.margin,
            "state": printed_state(event.code),
        }

    def _health(self, event: Save) -> Iterator[Record]:
        taken = {name: self.wounded[name] for name in ("area_taken", "area_htk")}
        yield {"event": "save_required", "who": event.who, "save": event.name, **taken}
        yield {**self._save(event, "Roll health"), "sl": event.margin, "saved": event.code == "passed"}

    def _save(self, event: Save, roll: str) -> Record:
        rows = amounts(event.trace)
        states = {name: rows[name] for name in STATES if name in rows}
        return {
            "event": "save_rolled",
            "who": event.who,
            "save": event.name,
            "value": exact(event.goal or 0) - sum(states.values()),
            "mods": {printed_state(name): amount for name, amount in states.items()},
            "sc": exact(event.goal or 0),
            "roll": self.last[roll].total,
        }

    def _state(self, event: Condition) -> Record:
        unit, counts = UNITS.get(event.id, ("minutes", COUNTS_PER_MINUTE) if event.id == "dead" else ("counts", 1))
        roll = self.last.get("Roll duration") if event.id in (*UNITS, "dead") else None
        return {
            "event": "state_entered",
            "who": event.target,
            "state": printed_state(event.id),
            "die": None if roll is None else roll.total,
            "unit": unit,
            "duration": Fraction(exact(event.value or 0)) / counts,
            "until": exact((event.until or (0,))[0]),
        }

    def _knockback(self, event: Judge) -> Record:
        """How far; the factors by the area and the pieces over the place, which a distance of 0 says nothing of."""
        judged = self.last["Judge location"]
        area = next(one for one in self.options.pack.areas if one.area == judged.code)
        worn = [one.item for one in self.sheet(event.against).worn]
        return {
            "event": "knockback",
            "who": event.against,
            "bd": self.last["Judge base-damage"].goal,
            "location_factor": 1 if area.knockback == "other" else 2,
            "item_pct": knockback_pct(worn, int(judged.goal)),
            "feet": exact(event.goal or 0),
        }
