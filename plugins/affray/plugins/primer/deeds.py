"""Everything but attacks: skills, contests, saves that are asked for, healing, revival, mana, waiting (primer.md, 1.3, 1.5, 1.9, 1.13, 1.14)."""

from __future__ import annotations

from fractions import Fraction

from affray.kernel import Action, Change, EndTurn, Exact, Fight, Judge, Row, Steps, exact, number

from .actions import AskedSave, Contest, Draw, Heal, React, Use, Wait, reacted_with
from .attack import NO_TARGET, is_out_of_reach
from .chance import contest as compare
from .checks import critical_miss, foe_tries, level_of, try_skill, unfamiliar_rows
from .clock import free_again, pend, stimulus, stop_all
from .defence import declare_defence
from .derived import mana
from .figures import ACT, AREA, HTK, MANA, POW, value
from .options import PrimerOptions
from .reaction import react as roll_initiative
from .rows import HERE, RULE, SHEET, rows_of
from .saves import save, shock, take_state
from .shock import HEALING_LATER, REVIVAL_MOD, quarters
from .states import taken_of
from .timing import take_time, times


def react(fight: Fight, action: Action) -> Steps:
    """Take in something new out of turn: who did nothing reacts with the skill named."""
    params: React = action.params
    yield from roll_initiative(fight, action, action.actor, params.skill)
    return "reacts"


def use(fight: Fight, action: Action) -> Steps:
    """Use the skill that was reacted with, perhaps against somebody's DEF or MDF. What it brings about is the table's to say."""
    params: Use = action.params
    yield from take_time(fight, action, params.wsd)
    outcome = NO_TARGET
    for _ in range(times(action)):
        skill, who = reacted_with(fight, action.actor), action.actor
        if not skill or (action.target and is_out_of_reach(fight, action.target)):
            break
        yield from _spend_mana(fight, action)
        opponent: Exact = 0
        if params.against != "none":
            _, opponent = yield from declare_defence(fight, action, params.against)
        extra = unfamiliar_rows(fight, who, skill, unfamiliar=params.unfamiliar)
        verdict = yield from try_skill(
            fight, action, "skill", skill, difficulty=params.difficulty, opponent=opponent, extra=extra
        )
        if level_of(verdict) < 0:
            yield from critical_miss(fight, action, level_of(verdict))
        outcome = verdict.code
    yield from free_again(fight, action)
    return outcome


def _spend_mana(fight: Fight, action: Action) -> Steps:
    params: Use = action.params
    if exact(params.mana):
        rows = rows_of(HERE, ("skill", -exact(params.mana)))
        yield Change("mana", target=action.actor, pool=MANA, value=number(-exact(params.mana)), trace=rows)


def draw(fight: Fight, action: Action) -> Steps:
    """Draw mana, a tenth of the spell limit a count; no more is held than the limit (L720)."""
    params: Draw = action.params
    who = action.actor
    yield from pend(fight, action, params.counts)
    each = mana(value(fight.sheet(who), "SPL")).draw_per_count
    rows = rows_of(SHEET, ("SPL", each * params.counts))
    yield Change("mana", target=who, pool=MANA, value=number(each * params.counts), trace=rows)
    yield from free_again(fight, action)
    return "drawn"


def wait(fight: Fight, action: Action) -> Steps:
    """Do nothing but watch for some counts; those that action points buy take no time."""
    params: Wait = action.params
    if params.ap:
        rows = rows_of(HERE, ("sold-passive", -params.ap))
        yield Change("action-points", target=action.actor, pool=ACT, value=-params.ap, trace=rows)
    if params.counts > params.ap:
        yield from pend(fight, action, params.counts - params.ap)
    else:
        yield EndTurn("declared", who=action.actor)
    yield from free_again(fight, action)
    return "waited"


# -- what the game master calls for


def contest(fight: Fight, action: Action) -> Steps:
    """Let two skills contend: both roll, and the higher level wins by what it is higher (1.5).

    Where both fail, the better failure wins all the same, and the code says so (P-19).
    """
    params: Contest = action.params
    own = yield from try_skill(fight, action, "contest", params.skill, difficulty=params.difficulty)
    other = yield from foe_tries(fight, action, "contest", params.against, params.against_difficulty)
    found = compare(level_of(own), level_of(other))
    is_won = found.winner != "b"
    winner, loser = (action.actor, action.target) if is_won else (action.target, action.actor)
    ahead, behind = (own, other) if is_won else (other, own)
    both_failed = max(level_of(own), level_of(other)) < 1
    code = "tie" if found.winner is None else "won-by-failing-less" if both_failed else "won"
    rows = rows_of(RULE, ("level", level_of(ahead)), ("other-level", -level_of(behind)))
    verdict = yield from Judge("contested", by=winner, against=loser, code=code, goal=found.sl, trace=rows)
    return "tie" if verdict.code == "tie" else "won" if is_won else "lost"


def asked_save(fight: Fight, action: Action) -> Steps:
    """Roll a save that is asked for. System shock takes the quarters that are taken now and, over time, exertion (P-62)."""
    params: AskedSave = action.params
    if params.save != "SYS":
        saved = yield from save(fight, action, action.actor, params.save)
        return saved.code
    state = yield from shock(fight, action, action.actor, exertion=params.exertion)
    yield from take_state(fight, action.actor, state)
    yield from stop_all(fight)
    return state


def heal(fight: Fight, action: Action) -> Steps:
    """Heal: a health roll a point due, every one after the first at +10, and what is given without a roll (1.13, P-94).

    Dead, healed past a quarter line while the soul is here, the target rolls for its life once more (L538).
    """
    params: Heal = action.params
    options: PrimerOptions = fight.options
    who = action.target
    pool = HTK if params.pool == "HTK" else POW
    before = quarters(*taken_of(fight, who, pool), options)
    healed = 0
    for index in range(params.points):
        later = rows_of(RULE, ("later", HEALING_LATER if index else 0))
        saved = yield from save(fight, action, who, "HLTH", key="healing", extra=later)
        healed += saved.code == "passed"
    rows = (*rows_of(RULE, ("health", healed)), *rows_of(HERE, ("given", exact(params.given))))
    if rows:
        yield from _mend(fight, who, pool, rows)
        if params.area:
            yield from _mend(fight, who, AREA + params.area, rows)
    after = quarters(*taken_of(fight, who, pool), options)
    if fight.has(who, "dead") and after < before:
        return (yield from life(fight, action, who))
    return "healed" if rows else "not-healed"


def _mend(fight: Fight, who: str, pool: str, rows: tuple[Row, ...]) -> Steps:
    amount = number(sum([exact(row.amount) for row in rows], Fraction(0)))
    yield Change("healing", target=who, pool=pool, value=amount, trace=rows)


def revive(fight: Fight, action: Action) -> Steps:
    """Give the dead an extreme shock: one more roll for life (L538)."""
    return (yield from life(fight, action, action.target))


def life(fight: Fight, action: Action, who: str) -> Steps:
    """Let the dead roll system shock once more, at -60; what it brings replaces death (P-67)."""
    state = yield from shock(fight, action, who, extra=rows_of(RULE, ("death", REVIVAL_MOD)))
    if state == "dead":
        return "dead"
    yield from take_state(fight, who, state, replaces=True)
    yield from stimulus(fight, who)
    return "revived"
