"""The facade over plugins: what is refused when rules are built, who has a word, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec
import pytest

from affray.kernel import (
    GM,
    HOOK_NAMES,
    Action,
    Breach,
    Entry,
    Fight,
    Form,
    InputError,
    Judge,
    Modifier,
    Order,
    Pool,
    Refused,
    Roll,
    Rules,
    RuleSet,
    Step,
    Steps,
    commands,
    dice,
    hookimpl,
)
from affray.sessions import Session

from ...support.broken import session_of
from ...support.table import answer_all, engine, must, tiny_catalog, tiny_session
from ...support.tiny import Tiny

SURE = (Modifier("attack.skill", 20, "sure"),)


def built(system: object = None, *house: object) -> RuleSet:
    names = {f"house-{n}": (lambda made=rule: made) for n, rule in enumerate(house)}
    catalog = tiny_catalog(lambda: system or Tiny(), **names)
    return catalog.rules(catalog.manifest("tiny", {}, list(names)))


# -- refused when the rules are built


class Wrapping:
    @hookimpl(wrapper=True)
    def ruling(self, fight: Fight, action: Action, step: Step) -> Any:
        return (yield)


class OldWrapping:
    @hookimpl(hookwrapper=True)
    def ruling(self, fight: Fight, action: Action, step: Step) -> Any:
        yield


class First:
    @hookimpl(tryfirst=True)
    def ruling(self, fight: Fight, action: Action, step: Step) -> None:
        """Would like to be first."""


class Last:
    @hookimpl(trylast=True)
    def ruling(self, fight: Fight, action: Action, step: Step) -> None:
        """Would like to be last."""


class Renamed:
    @hookimpl(specname="ruling")
    def my_ruling(self, fight: Fight, action: Action, step: Step) -> None:
        """Hides which hook it is."""


class Async:
    @hookimpl
    async def ruling(self, fight: Fight, action: Action, step: Step) -> None:
        """Nobody waits for it."""


class AsyncGenerator:
    @hookimpl
    async def follow(self, fight: Fight, action: Action, step: Step) -> Any:
        yield Judge("x", by="ann", code="x")


class Defaulted:
    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step, strict: bool = True) -> None:
        """The default would never be given."""


class Fewer:
    @hookimpl
    def ruling(self, fight: Fight, step: Step) -> None:
        """Hooks are called with everything."""


class Swapped:
    @hookimpl
    def ruling(self, action: Action, fight: Fight, step: Step) -> None:
        """Hooks are called by place."""


class Unknown:
    @hookimpl
    def rulling(self, fight: Fight, action: Action, step: Step) -> None:
        """Misspelt."""


class More:
    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step, dice: Any) -> None:
        """There is no such argument."""


class Generating:
    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Any:
        if action.name == "heal":
            yield Roll("x", by=action.actor, plan=dice(1, 6))


class GeneratingFollow:
    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Step) -> Any:
        yield Judge("x", by="ann", code="x")


class GeneratingCheck:
    @hookimpl
    def check(self, fight: Fight, action: Action) -> Any:
        yield Refused("no")


class Describing:
    @hookimpl
    def describe(self) -> None:
        """A house rule is no system."""


class Pooling:
    @hookimpl
    def pools(self, sheet: Any, options: Any) -> dict[str, Pool]:
        return {}


UNBUILDABLE: dict[str, tuple[type, str, str]] = {
    "wrapper": (Wrapping, "ruling", "is a wrapper"),
    "hookwrapper": (OldWrapping, "ruling", "is a wrapper"),
    "tryfirst": (First, "ruling", "tryfirst"),
    "trylast": (Last, "ruling", "trylast"),
    "specname": (Renamed, "ruling", "specname"),
    "async": (Async, "ruling", "is async"),
    "async generator": (AsyncGenerator, "follow", "is async"),
    "default": (Defaulted, "ruling", "a parameter with a default"),
    "fewer parameters": (Fewer, "ruling", "takes (fight, step), it is given (fight, action, step)"),
    "swapped parameters": (Swapped, "ruling", "takes (action, fight, step)"),
    "misspelt": (Unknown, "registration", "rulling"),
    "more parameters": (More, "registration", "dice"),
    "generator resolve": (Generating, "resolve", "could never fall through"),
    "generator follow": (GeneratingFollow, "follow", "could never fall through"),
    "generator check": (GeneratingCheck, "check", "could never fall through"),
    "describe": (Describing, "describe", "belongs to the system"),
    "pools": (Pooling, "pools", "belongs to the system"),
}


@pytest.mark.parametrize("name", UNBUILDABLE)
def test_a_house_rule_outside_the_contract_is_found_when_the_rules_are_built(name: str) -> None:
    """PLUG-2 and law 8: order and flow come from the manifest alone, so whatever could change them is refused."""
    rule, hook, problem = UNBUILDABLE[name]
    with pytest.raises(Breach) as breach:
        built(None, rule())
    assert (breach.value.plugin, breach.value.hook) == ("house-0", hook)
    assert problem in breach.value.problem


@pytest.mark.parametrize("hook", ["describe", "sheet_type", "pools", "begin", "actions", "resolve"])
def test_a_system_that_lacks_a_hook_is_found(hook: str) -> None:
    lacking = type("Lacking", (Tiny,), {hook: lambda self: None})
    problem = "returned None" if hook == "describe" else "is missing"
    with pytest.raises(Breach, match=f"plugin 'tiny', hook {hook}: {problem}"):
        built(lacking())


@pytest.mark.parametrize("hook", ["check", "check_sheet", "upkeep", "is_over", "texts", "contribute"])
def test_a_system_may_do_without_the_others(hook: str) -> None:
    lacking = type("Lacking", (Tiny,), {hook: None})
    assert built(lacking()).system.id == "tiny"


def test_one_rule_twice_is_refused() -> None:
    rule = Kind()
    with pytest.raises(Breach, match="hook registration: "):
        built(None, rule, rule)
    catalog = tiny_catalog(kind=Kind)
    with pytest.raises(Breach, match="plugin 'kind', hook registration: "):
        catalog.rules(catalog.manifest("tiny", {}, ["kind", "kind"]))


class Kind:
    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> None:
        """Changes nothing."""


class Equal(msgspec.Struct, frozen=True):
    """Two of these are equal, and still two plugins."""

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> None:
        """Changes nothing."""


def test_plugins_are_told_apart_by_identity_or_refused() -> None:
    """house-style, pluggy's pitfalls: two equal frozen Structs collide; it must not go unnoticed."""
    with pytest.raises(Breach, match="hook registration: "):
        built(None, Equal(), Equal())


def test_every_hook_is_known_to_the_facade() -> None:
    rules = built()
    assert set(HOOK_NAMES) == set(rules._hooks)
    with pytest.raises(AttributeError):
        rules.manifest.system.id = "other"  # type: ignore[misc]


# -- who has a word, and in which order


class Adds:
    def __init__(self, amount: int, code: str) -> None:
        self.amount, self.code = amount, code

    @hookimpl
    def contribute(self, fight: Fight, action: Action, place: str) -> list[Modifier]:
        return [Modifier("attack.skill", self.amount, self.code), Modifier("damage.flat", 1, self.code)]

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        if isinstance(step, Judge) and step.key == "attack":
            return msgspec.structs.replace(step, code=f"{step.code}-{self.code}")
        return None


def judged(*order: str) -> Judge:
    rules: dict[str, object] = {"one": Adds(3, "one"), "two": Adds(5, "two")}
    session = session_of(Tiny(), house={name: rules[name] for name in order})
    must(session.declare("ann", "attack", "bob", rows=SURE))
    (judge,) = [r.event for r in session.history() if isinstance(r.event, Judge)]
    return judge


def test_order_is_the_manifest_s_and_stands_in_the_log() -> None:
    """Law 8, law 5: amended values, one after the other, each named where it had a word."""
    one, two = judged("one", "two"), judged("two", "one")
    assert (one.code, one.by_rules) == ("hit-one-two", ("one", "two"))
    assert (two.code, two.by_rules) == ("hit-two-one", ("two", "one"))
    assert [(row.code, row.amount, row.source) for row in one.trace or ()] == [
        ("skill", 10, "sheet"),
        ("sure", 20, "declared"),
        ("one", 3, "one"),
        ("two", 5, "two"),
    ]
    assert one.goal == two.goal == 38


def test_the_last_house_rule_that_resolves_does_and_none_leaves_it_to_the_system() -> None:
    class Sings:
        def __init__(self, song: str) -> None:
            self.song = song

        @hookimpl
        def resolve(self, fight: Fight, action: Action) -> Steps | None:
            steps: Steps = self.sing(action)
            return steps if action.name == "heal" else None

        def sing(self, action: Action) -> Any:
            yield Judge("song", by=action.actor, code=self.song)

    session = session_of(Tiny(), house={"low": Sings("la"), "high": Sings("tralala")})
    must(session.declare("ann", "heal", "bob"))
    (judge,) = [r.event for r in session.history() if isinstance(r.event, Judge)]
    assert judge.code == "tralala"
    must(session.declare("ann", "attack", "bob", rows=SURE))
    assert session.prompts()


def test_a_house_rule_vetoes_and_offers() -> None:
    class Peace:
        @hookimpl
        def check(self, fight: Fight, action: Action) -> Refused | None:
            return Refused("peace", (action.actor,)) if action.name == "attack" else None

        @hookimpl
        def actions(self, fight: Fight, who: str) -> list[Form]:
            return [Form(name="heal", targets=fight.ids, least=1, most=1)]

    session = session_of(Tiny(), house={"peace": Peace()})
    assert session.declare("ann", "attack", "bob").refused == Refused("peace", ("ann",))
    must(session.declare("bob", "heal", "bob", power=1))


def test_a_house_rule_s_begin_replaces_the_system_s() -> None:
    class Reversed:
        @hookimpl
        def begin(self, fight: Fight) -> Steps:
            steps: Steps = self.order(fight)
            return steps

        def order(self, fight: Fight) -> Any:
            yield Order("order", entries=tuple(Entry(key=w, when=(1, n), who=w) for n, w in enumerate(reversed(fight.ids))))

    assert session_of(Tiny(), house={"reversed": Reversed()}).state().turn == "bob"


def test_follow_ups_run_in_manifest_order_under_names_of_their_own() -> None:
    class Echo:
        def __init__(self, code: str) -> None:
            self.code = code

        @hookimpl
        def follow(self, fight: Fight, action: Action, step: Step) -> Steps | None:
            steps: Steps = self.echo(action)
            return steps if isinstance(step, Judge) and step.key == "attack" else None

        def echo(self, action: Action) -> Any:
            yield Judge("echo", by=action.actor, code=self.code)

    session = session_of(Tiny(), house={"one": Echo("a"), "two": Echo("b")})
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    echoes = [(r.event.action, r.event.code) for r in session.history() if isinstance(r.event, Judge) and r.event.key == "echo"]
    assert echoes == [("a1>judge.attack.ann.0>one", "a"), ("a1>judge.attack.ann.0>two", "b")]


def test_overlapping_rules_are_reported() -> None:
    rules: dict[str, Callable[[], object]] = {"one": lambda: Adds(1, "a"), "two": lambda: Adds(2, "b")}
    catalog = tiny_catalog(**rules)
    assert catalog.rules(catalog.manifest("tiny", {}, ["one", "two"])).overlaps() == {"ruling": ("one", "two")}
    assert catalog.rules(catalog.manifest("tiny", {}, ["one"])).overlaps() == {}


def test_texts_of_a_later_plugin_win() -> None:
    """Law 11: codes are stored, sentences are whoever's is asked last."""

    class Pirates:
        @hookimpl
        def texts(self, locale: str) -> dict[str, str] | None:
            return {"done.attack.hit": "arr"} if locale == "en" else None

    rules = built(None, Pirates())
    assert rules.texts("en")["done.attack.hit"] == "arr"
    assert rules.texts("en")["declare.attack"] == "{actor} attacks {target}"
    assert rules.texts("xx") == {}


# -- rules that change


def test_an_open_action_keeps_the_rules_it_was_declared_under() -> None:
    catalog = tiny_catalog(one=lambda: Adds(3, "one"))
    session = tiny_session(engine(catalog=catalog))
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    before = session.manifest
    must(session.request(commands.SetRules(manifest=catalog.manifest("tiny", {}, ["one"]), reason="now we do")))
    changed = next(r.event for r in session.history() if isinstance(r.event, Rules))
    assert (changed.manifest, changed.reason, changed.fingerprint) == (
        session.manifest, "now we do", catalog.rules(session.manifest).fingerprint,
    )  # fmt: skip
    answer_all(session)
    assert {r.event.by_rules for r in session.history() if isinstance(r.event, Judge)} == {()}
    must(session.declare("bob", "attack", "ann", rows=SURE))
    assert ("one",) in {r.event.by_rules for r in session.history() if isinstance(r.event, Judge)}
    must(session.undo())
    must(session.undo())
    assert session.manifest != before


def test_rules_that_cannot_be_had_change_nothing() -> None:
    session: Session = tiny_session()
    before = (session.head, session.state(reader=GM))
    odd = msgspec.structs.replace(session.manifest, options={"counts": "many"})
    with pytest.raises(InputError, match=r"^\$\.options\.counts: "):
        session.request(commands.SetRules(manifest=odd))
    assert before == (session.head, session.state(reader=GM))


def test_a_bad_key_of_a_sheet_is_at_the_table_that_holds_it() -> None:
    class Keyed(msgspec.Struct, frozen=True):
        hp: int = 1
        factors: dict[Literal["pcf"], int] = {}

    class WithKeys(Tiny):
        @hookimpl
        def sheet_type(self) -> type:
            return Keyed

    catalog = tiny_catalog(WithKeys)
    with pytest.raises(InputError) as caught:
        catalog.rules(catalog.manifest("tiny", {}, [])).read_sheet({"hp": 3, "factors": {"x": 1}})

    assert "$.factors" == caught.value.path
