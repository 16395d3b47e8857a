"""The scripted fights of the primer's rules (primer.md, parts 4 and 5), played through real sessions."""

from __future__ import annotations

from affray.kernel import GM, Event, Roll
from affray.plugins.primer.sheet import Sheet
from affray.plugins.primer.traits import RANKS
from affray.sessions import Engine, MemoryStore, Session

from ..support.fights import prompt_for
from ..support.table import Fixed, must
from ..unit.primer.table import catalog
from .primer_vectors import FIGHT, TYPE_OF, Record, code, stored, trait

APTITUDES = {"PAB": "PAB_Aptitude", "MAB": "MAB_Aptitude", "Sorcery": "Sorcery_Aptitude"}
RACE = {"PAB": "BASE_PAB_MOD", "MAB": "Base_MAB_MOD", "MVM": "BASE_MVM_MOD", "PSM": "PSM", "NMD": "NMD"}
"""Fields of our sheet by those of the vectors'."""


def fights() -> list[Record]:
    """The vectors of whole fights."""
    found = stored("primer.vectors.json")
    return [vector for vector in found["vectors"] if vector["op"] == FIGHT] if found else []


# -- what a vector gives, as the system takes it


def sheet_of(one: Record) -> Record:
    """A combatant of a vector as a sheet."""
    given = one["sheet"]
    plain = {trait(name): value for name, value in given.items()}
    stats = {name: plain[name] for name in Sheet.__struct_fields__ if name in plain}
    factors = {name: value for name, value in plain.items() if len(name) == 3 and name[2] == "F" and name != "DEF"}
    skills: Record = {name: {"rank": given[name]} for name in RANKS if given.get(name) and name != "Sorcery_Aptitude"}
    for name, skill in one["skills"].items():
        secondary = {f"{name}-helper-{index}": rank for index, rank in enumerate(skill["secondary_ranks"])}
        skills |= {helper: {"rank": rank} for helper, rank in secondary.items()}
        skills[name] = {
            "rank": skill["rank"],
            "factor": skill["factor"].upper(),
            "kind": skill["kind"],
            "stats": [stat.upper() for stat in skill["stats"]],
            "secondary": [*secondary],
        }
    return {
        **stats,
        "factors": factors,
        "skills": skills,
        "race": {ours: given[theirs] for ours, theirs in RACE.items()},
        "aptitudes": {ours: given[theirs] for ours, theirs in APTITUDES.items()},
        "weapons": [weapon_of(name, weapon) for name, weapon in one["weapons"].items()],
        "worn": [{**piece, "item": code(piece["name"])} for piece in one["worn"]],
        "HTK": one["htk"],
        "area_HTK": {code(area): htk for area, htk in one["area_htk"].items()},
        "pinned": {name: {"value": value, "reason": "the vector gives it"} for name, value in one["pinned"].items()},
    }


def weapon_of(name: str, given: Record) -> Record:
    """A weapon of a vector as a sheet has it."""
    return {"key": name, **given, "types": [TYPE_OF[kind] for kind in given["types"]]}


def options_of(vector: Record) -> Record:
    """The options of a vector, its chart as a pack."""
    areas = [
        {
            "area": code(row["area"]),
            "positions": row["positions"],
            "knockback": code(row["knockback_location"]),
        }
        for row in vector["inputs"]["hit_areas"]
    ]
    return {**vector["inputs"]["options"], "pack": {"title": "the chart of the vectors", "areas": areas}}


class Fought:
    """A vector's fight, played to the end of its script. Cold: every command meets a session that was read from the store again."""

    def __init__(self, vector: Record, *, cold: bool) -> None:
        given = vector["inputs"]
        self._engine = Engine(MemoryStore(), catalog(), Fixed("primer"))
        self._cold = cold
        faces = [int(die.partition(":")[2]) for die in given["dice"]]
        self._session = self._engine.start(
            "primer", options=options_of(vector), dice="scripted", script=faces, session="s"
        )
        for one in given["combatants"]:
            sheet = sheet_of(one)
            for piece in sheet["worn"]:
                del piece["name"]
            must(self.session.join(one["name"], side=one["side"], controller=one["name"], sheet=sheet))
        for decision in given["script"]:
            self._decide(decision)

    @property
    def session(self) -> Session:
        if self._cold:
            self._session = self._engine.load("s")
        return self._session

    @property
    def events(self) -> list[Event]:
        return [recorded.event for recorded in self.session.history(reader=GM)]

    def _decide(self, decision: Record) -> None:
        who = decision["who"]
        match decision["do"]:
            case "stimulus":
                must(self.session.begin())
            case "react":  # with one skill nobody is asked
                assert decision["skill"] in self.session.state(reader=GM).combatants[who].sheet["skills"]  # type: ignore[index]
            case "declare":
                state = self.session.state(reader=GM)
                assert (who, decision["at"]) == (state.turn, state.at[0])
                must(self.session.declare(who, "attack", decision["target"], **params_of(decision)))
            case "defend":
                assert decision["at"] == self.session.state(reader=GM).at[0]
                session = self.session
                must(session.answer(prompt_for(session, who), who, code(decision["stance"])))

    @property
    def dice(self) -> list[str]:
        """Every die in the order it was thrown, as the vectors spell it."""
        thrown = [event for event in self.events if isinstance(event, Roll)]
        return [
            f"d{sides}:{chain[0]}"
            for roll in thrown
            for sides, chain in zip(
                [term.sides for term in roll.plan.terms for _ in range(term.count)], roll.faces or (), strict=True
            )
        ]

    def check(self) -> None:
        """The log is clean."""
        report = self.session.verify()
        assert report.is_clean, report.findings


def params_of(decision: Record) -> Record:
    """The parameters of an attack."""
    return {
        "weapon": decision["weapon"],
        "type": TYPE_OF[decision["type"]],
        "called": decision["called"],
        "speed": decision["speed"],
        "ap_sold": decision["ap_sold"],
        "ap_bought": {"sc": decision["ap_bought"]},
    }
