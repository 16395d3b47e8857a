"""The rules facade: one plugin manager per distinct manifest, typed, frozen, shared (design, section 4).

pluggy registers plugins and validates what they implement. The facade calls them itself, in manifest order and no
other, checks what they return, and names the plugin in whatever goes wrong.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

import msgspec
import pluggy

from .describe import Derived, Form, System
from .errors import AffrayError, Breach, DiceError, InputError, PluginUnavailable, Refused
from .hookspecs import HOOK_NAMES, PROJECT, Hooks, Steps
from .ledger import canonical, sha256
from .limits import OPTIONS, ROWS
from .names import check_id, is_id, place
from .numbers import exact, is_number, total
from .runs import Action, Moment, Scope
from .state import Fight
from .steps import Step
from .values import Json, Manifest, Modifier, Pool, Row

Hook = Callable[..., Any]

SYSTEM_ONLY = frozenset({"describe", "sheet_type", "pools"})
MAY_GENERATE = frozenset({"begin", "resolve", "upkeep", "follow"})
NEEDED = ("pools", "begin", "actions", "resolve")
"""Hooks that a system cannot do without, beside those that are called when rules are built."""
ORDERED = ("begin", "check", "resolve", "upkeep", "ruling", "follow", "is_over")
"""Hooks in which the order of house rules can change what comes of a fight, not only the order of a list."""

_FROM_OUTSIDE: dict[str, type[AffrayError]] = {
    "check_sheet": InputError,
    "pools": InputError,
    "check": DiceError,
    "resolve": DiceError,
}
"""Errors that say that what a person gave cannot be read: no fault of the plugin."""


class Rules:
    """The rules of one manifest: a system and its house rules, ready to be asked.

    Raises Breach when a plugin's hooks are not what the contract allows, InputError when the options are not the
    system's, PluginUnavailable for a house rule that says it is for other systems (attribute `systems`).
    """

    def __init__(self, manifest: Manifest, system: object, house: Sequence[object] = ()) -> None:
        self.manifest = manifest
        names = [check_id(pin.id, "a plugin's name") for pin in (manifest.system, *manifest.house)]
        for name, rule in zip(names[1:], house, strict=True):
            _check_fits(name, rule, names[0])
        manager = pluggy.PluginManager(PROJECT)
        manager.add_hookspecs(Hooks)
        self._hooks: dict[str, list[tuple[str, Hook]]] = {hook: [] for hook in HOOK_NAMES}
        for name, plugin in zip(names, (system, *house), strict=True):
            _register(manager, name, plugin)
            for hook in HOOK_NAMES:
                for impl in getattr(manager.hook, hook).get_hookimpls():
                    if impl.plugin_name == name:
                        given = getattr(manager.hook, hook).spec.argnames
                        _check_impl(name, hook, impl, given, is_system=plugin is system)
                        self._hooks[hook].append((name, impl.function))
        _check_pending(manager)
        for hook in NEEDED:
            if names[0] not in [name for name, _ in self._hooks[hook]]:
                raise Breach(names[0], hook, "is missing")
        self.system: System = self._one("describe", System)
        self.sheet_type: type = self._one("sheet_type", type)
        self.options = read_options(self.system, manifest.options)
        for bundle in self.system.bundles:
            try:
                read_options(self.system, bundled(self.system, bundle))
            except InputError as error:
                raise Breach(names[0], "describe", f"bundle {bundle!r}: {error}") from error
        self.places = frozenset(self.system.places)
        self.contributes = bool(self._hooks["contribute"])
        self.rulings: tuple[tuple[str, Hook], ...] = tuple(self._hooks["ruling"])
        self.follows: tuple[tuple[str, Hook], ...] = tuple(self._hooks["follow"])
        self.fingerprint = fingerprint(manifest, self.system)

    def window(self, state: Any) -> Fight:
        """A window on a state for these rules' plugins."""
        return Fight(state, self.sheet_type, self.options)

    def read_sheet(self, raw: dict[str, Json]) -> Any:
        """A sheet as the system's type. Raises InputError with the path of the first problem."""
        try:
            sheet: Any = msgspec.convert(raw, self.sheet_type)
        except msgspec.ValidationError as error:
            raise _input_error(error) from None
        for name, hook in self._hooks["check_sheet"]:
            for found in self._listed(name, "check_sheet", hook, sheet):
                if not (isinstance(found, tuple) and len(found) == 2 and all(isinstance(text, str) for text in found)):
                    raise Breach(name, "check_sheet", f"gave {found!r}, not a path and a problem")
                raise InputError(found[1], path=found[0])
        return sheet

    def pools(self, sheet: Any) -> dict[str, Pool]:
        """The pools a combatant with this sheet brings."""
        name, hook = self._hooks["pools"][0]
        pools = self._call(name, "pools", hook, sheet, self.options)
        if not isinstance(pools, Mapping):
            raise Breach(name, "pools", f"returned {pools!r}, not a mapping")
        for key, pool in pools.items():
            if not (isinstance(key, str) and is_id(key) and isinstance(pool, Pool) and _is_sound(pool)):
                raise Breach(name, "pools", f"gives {key!r}: {pool!r}, which is no name and a Pool of exact numbers")
        return dict(pools)

    def derive(self, sheet: Any) -> tuple[Derived, ...]:
        """Every value that follows from a sheet, with its trace; () where the rules tell none."""
        found: list[Derived] = []
        for name, hook in self._hooks["derive"]:
            for one in self._listed(name, "derive", hook, sheet, self.options):
                if not isinstance(one, Derived) or not is_number(one.value):
                    raise Breach(name, "derive", f"gave {one!r}, not a Derived with an exact number")
                if total(row.amount for row in one.trace) != exact(one.value):
                    raise Breach(name, "derive", f"the rows of {one.code!r} do not add up to {one.value}")
                found.append(one)
        return tuple(found)

    def read_params(self, action: str, raw: dict[str, Json]) -> Any:
        """An action's parameters as the system's type. Raises InputError for an unknown action or a bad parameter."""
        wanted = self.system.actions.get(action)
        if wanted is None:
            raise InputError(f"{self.system.id} has no such action", path="$.name", value=action)
        try:
            return msgspec.convert(raw, wanted)
        except msgspec.ValidationError as error:
            raise _input_error(error, "$.params") from None

    def begin(self, fight: Fight) -> list[tuple[str, Steps]]:
        """The first moment's generator: the last house rule that gives one replaces the system's."""
        for name, hook in reversed(self._hooks["begin"]):
            steps = self._call(name, "begin", hook, fight)
            if steps is not None:
                return [(name, self._generator(name, "begin", steps))]
        return []

    def actions(self, fight: Fight, who: str) -> tuple[Form, ...]:
        """Everything a combatant may declare now."""
        forms: list[Form] = []
        for name, hook in self._hooks["actions"]:
            for form in self._listed(name, "actions", hook, fight, who):
                if not isinstance(form, Form) or form.name not in self.system.actions:
                    raise Breach(name, "actions", f"offers {form!r}, not a Form of an action the system describes")
                forms.append(form)
        if len(forms) > OPTIONS:
            raise Breach(self.system.id, "actions", f"offers {len(forms)} forms, more than {OPTIONS}")
        return tuple(forms)

    def check(self, fight: Fight, action: Action) -> Refused | None:
        """The first reason to refuse a declaration, or None."""
        for name, hook in self._hooks["check"]:
            answer = self._call(name, "check", hook, fight, action)
            if answer is None:
                continue
            if not isinstance(answer, Refused):
                raise Breach(name, "check", f"returned {answer!r}, not Refused or None")
            return answer
        return None

    def resolve(self, fight: Fight, action: Action) -> tuple[str, Steps]:
        """Who resolves a declared action, and how: the last house rule that answers, else the system."""
        for name, hook in reversed(self._hooks["resolve"]):
            steps = self._call(name, "resolve", hook, fight, action)
            if steps is not None:
                return name, self._generator(name, "resolve", steps)
        raise Breach(self.system.id, "resolve", f"nobody resolves {action.name!r}")

    def upkeep(self, fight: Fight, moment: Moment) -> list[tuple[str, Steps]]:
        """The generators of a moment, in manifest order."""
        return self._generators("upkeep", fight, moment)

    def follow(self, fight: Fight, scope: Scope, step: Step) -> list[tuple[str, Steps]]:
        """The generators that follow a recorded step, in manifest order."""
        return self._generators("follow", fight, scope, step)

    def contribute(self, fight: Fight, scope: Scope, where: str) -> tuple[Row, ...]:
        """Rows of every plugin at one place, in manifest order."""
        rows: list[Row] = []
        for name, hook in self._hooks["contribute"]:
            for row in self._listed(name, "contribute", hook, fight, scope, where):
                if not isinstance(row, Modifier) or row.place not in self.places:
                    raise Breach(name, "contribute", f"gave {row!r}; places are {sorted(self.places)}")
                if not is_number(row.amount) or not isinstance(row.code, str):
                    raise Breach(name, "contribute", f"gave {row!r}, without a code or an exact number")
                if row.place == where:
                    rows.append(Row(row.code, row.amount, name))
        if len(rows) > ROWS:
            raise Breach(self.system.id, "contribute", f"{len(rows)} rows at {where!r}, more than {ROWS}")
        return tuple(rows)

    def rule(self, fight: Fight, scope: Scope, step: Any) -> tuple[Any, tuple[str, ...]]:
        """A step after every ruling, and who changed it."""
        changed: tuple[str, ...] = ()
        for name, hook in self.rulings:
            new = self._call(name, "ruling", hook, fight, scope, step)
            if new is None or new is step:
                continue
            if type(new) is not type(step) or place(new) != place(step) or new.action != step.action:
                raise Breach(name, "ruling", f"must return the same kind of step in the same slot, gave {new!r}")
            step, changed = new, (*changed, name)
        return step, changed

    def is_over(self, fight: Fight) -> str | None:
        """The code of an ending, or None."""
        for name, hook in self._hooks["is_over"]:
            code = self._call(name, "is_over", hook, fight)
            if code is not None and not (isinstance(code, str) and code):
                raise Breach(name, "is_over", f"returned {code!r}, not a code or None")
            if code:
                return str(code)
        return None

    def texts(self, locale: str) -> dict[str, str]:
        """Sentence templates by code; a later plugin's win."""
        found: dict[str, str] = {}
        for name, hook in self._hooks["texts"]:
            found.update(self._words(name, hook, locale))
        return found

    def _words(self, name: str, hook: Hook, locale: str) -> Mapping[str, str]:
        texts = self._call(name, "texts", hook, locale) or {}
        if not isinstance(texts, Mapping):
            raise Breach(name, "texts", f"returned {texts!r}, not a mapping")
        return texts

    def hooks_of(self, plugin: str) -> tuple[str, ...]:
        """The hooks that a plugin of these rules implements, in the order of the specifications."""
        return tuple([hook for hook, found in self._hooks.items() if any(name == plugin for name, _ in found)])

    def overlaps(self) -> dict[str, tuple[str, ...]]:
        """Hooks that more than one house rule implements and whose order can be seen, with those rules in the manifest's order.

        A report, not an error. The last that answers counts in `begin` and `resolve`, the first in `check` and `is_over`; a
        `ruling` is given what the one before left; `upkeep` and `follow` run one after the other. `texts` are listed where two
        rules word the same code differently in English: the later one's words are read. In every other hook the order of
        rules is the order of a list and changes no number.
        """
        system = self.manifest.system.id
        found = {hook: tuple([name for name, _ in self._hooks[hook] if name != system]) for hook in ORDERED}
        found["texts"] = self._worded_twice()
        return {hook: names for hook, names in found.items() if len(names) > 1}

    def _worded_twice(self) -> tuple[str, ...]:
        """The house rules that word a code otherwise than another one does."""
        system = self.manifest.system.id
        texts = {name: self._words(name, hook, "en") for name, hook in self._hooks["texts"] if name != system}
        worded: dict[str, set[str]] = {}
        for words in texts.values():
            for code, text in words.items():
                worded.setdefault(code, set()).add(text)
        return tuple([name for name, words in texts.items() if any(len(worded[code]) > 1 for code in words)])

    def _one(self, hook: str, wanted: type) -> Any:
        implementations = self._hooks[hook]
        system = self.manifest.system.id
        if not implementations:
            raise Breach(system, hook, "is missing")
        answer = self._call(*implementations[0][:1], hook, implementations[0][1])
        if not isinstance(answer, wanted):
            raise Breach(system, hook, f"returned {answer!r}, not a {wanted.__name__}")
        return answer

    def _generators(self, hook: str, *args: Any) -> list[tuple[str, Steps]]:
        found: list[tuple[str, Steps]] = []
        for name, function in self._hooks[hook]:
            steps = self._call(name, hook, function, *args)
            if steps is not None:
                found.append((name, self._generator(name, hook, steps)))
        return found

    @staticmethod
    def _generator(name: str, hook: str, steps: Any) -> Steps:
        if not inspect.isgenerator(steps):
            raise Breach(name, hook, f"returned {steps!r}, not a generator or None")
        return cast("Steps", steps)

    @staticmethod
    def _call(name: str, hook: str, function: Hook, *args: Any) -> Any:
        try:
            return function(*args)
        except Breach:
            raise
        except Exception as error:
            if isinstance(error, _FROM_OUTSIDE.get(hook, ())):
                raise
            raise Breach(name, hook, f"raised {error!r}") from error

    @classmethod
    def _listed(cls, name: str, hook: str, function: Hook, *args: Any) -> tuple[Any, ...]:
        """What a hook gave one after the other."""
        found = cls._call(name, hook, function, *args)
        if found is None:
            return ()
        if isinstance(found, str) or not isinstance(found, Iterable):
            raise Breach(name, hook, f"returned {found!r}, which is no list")
        items: tuple[Any, ...] = cls._call(name, hook, tuple, found)
        return items


def read_options(system: System, raw: dict[str, Json]) -> Any:
    """A system's options as its type. Raises InputError that names the option."""
    try:
        return msgspec.convert(raw, system.options)
    except msgspec.ValidationError as error:
        raise _input_error(error, "$.options") from None


def bundled(system: System, bundle: str) -> dict[str, Json]:
    """The options of a bundle ("" for none). Raises InputError that lists the bundles there are."""
    if bundle and bundle not in system.bundles:
        raise InputError(
            f"{system.id} has no such bundle; there are: {', '.join(system.bundles) or 'none'}",
            path="$.bundle",
            value=bundle,
        )
    return dict(system.bundles[bundle]) if bundle else {}


def spell_out(system: System, raw: dict[str, Json]) -> dict[str, Json]:
    """Every option of a system with its value, defaults included: what a manifest records."""
    spelt: dict[str, Json] = msgspec.to_builtins(read_options(system, raw))
    return spelt


def fingerprint(manifest: Manifest, system: System) -> str:
    """SHA-256 over what the manifest pins and what the system publishes, so that a change of either shows."""
    facts = {
        "manifest": msgspec.to_builtins(manifest),
        "actions": {name: msgspec.json.schema(kind) for name, kind in system.actions.items()},
        "places": dict(system.places),
        "steps": dict(system.steps),
    }
    return sha256(canonical(facts))


def _check_fits(name: str, rule: object, system: str) -> None:
    """Refuse a house rule of other systems. One without `systems` is for any."""
    systems = getattr(rule, "systems", ())
    if not isinstance(systems, tuple) or not all(isinstance(one, str) for one in systems):
        raise Breach(name, "registration", f"says it is for the systems {systems!r}, which is no tuple of their ids")
    if systems and system not in systems:
        raise PluginUnavailable(name, f"is a house rule for {', '.join(systems)}; the session plays {system}")


def _register(manager: pluggy.PluginManager, name: str, plugin: object) -> None:
    try:
        manager.register(plugin, name=name)
    except (ValueError, pluggy.PluginValidationError) as error:
        raise Breach(name, "registration", str(error)) from error


def _check_pending(manager: pluggy.PluginManager) -> None:
    try:
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise Breach(manager.get_name(error.plugin) or "?", "registration", str(error)) from error


def _is_sound(pool: Pool) -> bool:
    numbers = [number for number in (pool.start, pool.low, pool.high) if number is not None]
    return all(is_number(number) for number in numbers) and pool.damage in (-1, 1)


def _check_impl(name: str, hook: str, impl: Any, given: Sequence[str], *, is_system: bool) -> None:
    """Refuse what would make order or flow depend on anything but the manifest."""
    function = impl.function
    if impl.wrapper or impl.hookwrapper:
        raise Breach(name, hook, "is a wrapper; order comes from the manifest alone")
    if impl.tryfirst or impl.trylast or impl.opts.get("specname"):
        raise Breach(name, hook, "uses tryfirst, trylast or specname; order comes from the manifest alone")
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise Breach(name, hook, "is async; hooks are plain functions")
    if any(p.default is not p.empty for p in inspect.signature(function).parameters.values()):
        raise Breach(name, hook, "has a parameter with a default, which would never be given")
    if tuple(impl.argnames) != tuple(given):  # pluggy would leave some out, and the facade gives them in order
        raise Breach(name, hook, f"takes ({', '.join(impl.argnames)}), it is given ({', '.join(given)})")
    if hook in SYSTEM_ONLY and not is_system:
        raise Breach(name, hook, "belongs to the system; a house rule cannot give it")
    if inspect.isgeneratorfunction(function) and (hook not in MAY_GENERATE or not is_system):
        wanted = "a generator or None" if hook in MAY_GENERATE else "what the hook wants, a list where it wants several"
        raise Breach(name, hook, f"is a generator function and could never fall through; return {wanted}")


def _input_error(error: msgspec.ValidationError, prefix: str = "$") -> InputError:
    """msgspec's message, with its path in our form."""
    text, _, where = str(error).partition(" - at `")
    path = where.rstrip("`").removeprefix("key` in `") or "$"  # a bad key is at the table that holds it
    return InputError(text, path=prefix + path.removeprefix("$"))


__all__ = ["Rules", "bundled", "fingerprint", "read_options", "spell_out"]
