"""The catalog of rules plugins: entry points, sorted; only what a manifest names is imported.

A name offered by two distributions (in any spelling of case) is refused with both; the same distribution seen twice
counts once. A plugin that cannot be loaded is listed with its cause and hinders nobody else.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import msgspec

from affray.kernel import (
    AffrayError,
    Breach,
    Json,
    Manifest,
    Pin,
    PluginUnavailable,
    RuleSet,
    System,
    bundled,
    canonical,
    spell_out,
)

from .logs import get_logger

SYSTEMS = "affray.systems"
HOUSE_RULES = "affray.house_rules"


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A plugin that is installed: where from, and what is wrong with it ("" for nothing known)."""

    group: str
    id: str
    distribution: str
    version: str
    target: str
    problem: str = ""


class HouseRule(msgspec.Struct, frozen=True, kw_only=True):
    """What a house rule says about itself, by attributes of its object, all of which may be left out.

    `title` is its name for people, `release` that of the rule ("1"), `systems` the ids of those it is for (none: any). Its
    summary is the first line of its docstring.
    """

    id: str
    release: str
    title: str = ""
    systems: tuple[str, ...] = ()
    summary: str = ""


Factory = Callable[[], object]


class Catalog:
    """The plugins of this Python environment, and more that are given by hand (for tests and embedders)."""

    def __init__(
        self,
        systems: Mapping[str, Factory] | None = None,
        house: Mapping[str, Factory] | None = None,
        points: Iterable[EntryPoint] | None = None,
    ) -> None:
        self._given = {SYSTEMS: dict(systems or {}), HOUSE_RULES: dict(house or {})}
        found = [p for group in (SYSTEMS, HOUSE_RULES) for p in entry_points(group=group)] if points is None else points
        self._points: dict[tuple[str, str], list[EntryPoint]] = {}
        for point in sorted(found, key=lambda p: (p.group, p.name, *_origin(p), p.value)):
            same = self._points.setdefault((point.group, point.name.casefold()), [])
            if all((other.name, *_origin(other), other.value) != (point.name, *_origin(point), point.value) for other in same):
                same.append(point)
        self._rules: dict[bytes, RuleSet] = {}

    def offers(self, *, load: bool = False) -> tuple[Offer, ...]:
        """Everything installed. With `load`, every plugin is imported to see whether it can be."""
        found: list[Offer] = []
        for (group, _), points in self._points.items():
            for point in points:
                name, version = _origin(point)
                problem = _doubled(points) if len(points) > 1 else ""
                if load and not problem:
                    try:
                        self._make(group, point.name)
                    except PluginUnavailable as error:
                        problem = error.problem
                found.append(
                    Offer(
                        group=group, id=point.name, distribution=name, version=version, target=point.value, problem=problem
                    )
                )
        for group, factories in self._given.items():
            found += [Offer(group=group, id=name, distribution="", version="", target=repr(f)) for name, f in factories.items()]
        return tuple(sorted(found, key=lambda offer: (offer.group, offer.id, offer.distribution)))

    def describe(self, system: str) -> System:
        """What a system says about itself. Raises PluginUnavailable."""
        return self.bare(system).system

    def house_rule(self, name: str) -> HouseRule:
        """What a house rule says about itself. Raises PluginUnavailable."""
        rule = self._make(HOUSE_RULES, name)
        systems = getattr(rule, "systems", ())
        is_told = isinstance(systems, tuple) and all(isinstance(one, str) for one in systems)
        return HouseRule(
            id=name,
            release=_release(rule),
            title=str(getattr(rule, "title", "")),
            systems=systems if is_told else (),  # what is wrong with them is told when the rules are built
            summary=(inspect.getdoc(type(rule)) or "").partition("\n")[0],
        )

    def bare(self, system: str) -> RuleSet:
        """A system's rules with default options and no house rules."""
        return self.rules(self.manifest(system, {}, ()))

    def manifest(
        self, system: str, options: Mapping[str, Json], house: Iterable[str], bundle: str = ""
    ) -> Manifest:
        """The manifest of a new session: every option spelt out, every plugin pinned.

        `bundle` names a set of options of the system; `options` go over it. Raises PluginUnavailable for a plugin that
        is not there, InputError for options that are not the system's.
        """
        plugin = self._make(SYSTEMS, system)
        described = _described(system, plugin)
        pins = []
        for name in house:
            rule = self._make(HOUSE_RULES, name)
            pins.append(Pin(id=name, distribution=self._distribution(HOUSE_RULES, name), release=_release(rule)))
        pin = Pin(id=system, distribution=self._distribution(SYSTEMS, system), release=described.release)
        return Manifest(system=pin, options=spell_out(described, {**bundled(described, bundle), **options}), house=tuple(pins))

    def rules(self, manifest: Manifest) -> RuleSet:
        """The rules of a manifest, built once. Raises PluginUnavailable when a plugin is missing or another release."""
        key = canonical(manifest)
        if key not in self._rules:
            system = self._make(SYSTEMS, manifest.system.id)
            _same(manifest.system, _described(manifest.system.id, system).release)
            house = []
            for pin in manifest.house:
                rule = self._make(HOUSE_RULES, pin.id)
                _same(pin, _release(rule))
                house.append(rule)
            self._rules[key] = built = RuleSet(manifest, system, house)
            _report(built)
        return self._rules[key]

    def _distribution(self, group: str, name: str) -> str:
        points = self._points.get((group, name.casefold()))
        return _origin(points[0])[0] if points and name not in self._given[group] else ""

    def _make(self, group: str, name: str) -> Any:
        factory = self._given[group].get(name)
        points = self._points.get((group, name.casefold()), [])
        if factory is not None and points:
            raise PluginUnavailable(name, f"given by hand and also installed: {_doubled(points)}")
        if factory is None:
            if len(points) > 1:
                raise PluginUnavailable(name, _doubled(points))
            if not points or points[0].name != name:
                known = sorted({p.name for (g, _), ps in self._points.items() if g == group for p in ps} | set(self._given[group]))
                raise PluginUnavailable(name, f"is not installed; there are {', '.join(known) or 'none'}")
        try:
            made = points[0].load()() if factory is None else factory()
        except (Exception, SystemExit) as error:
            raise PluginUnavailable(name, f"cannot be loaded: {error!r}") from error
        if made is None:
            raise PluginUnavailable(name, "its factory returned None")
        return made


def _origin(point: EntryPoint) -> tuple[str, str]:
    return (point.dist.name, point.dist.version) if point.dist is not None else ("", "")


def _doubled(points: list[EntryPoint]) -> str:
    named = ", ".join(f"{' '.join(_origin(p))} ({p.name} = {p.value})" for p in points)
    return f"is offered more than once: {named}"


def _report(built: RuleSet) -> None:
    """Say in which hooks the order of house rules counts. Texts that fail are told to whoever asks for them."""
    with suppress(Breach):
        for hook, names in built.overlaps().items():
            get_logger().info("order of house rules counts", system=built.system.id, hook=hook, rules=names)


def _release(rule: Any) -> str:
    return str(getattr(rule, "release", "1"))


def _described(name: str, plugin: Any) -> System:
    try:
        described = plugin.describe()
    except AffrayError:
        raise
    except Exception as error:
        raise Breach(name, "describe", f"raised {error!r}") from error
    if not isinstance(described, System):
        raise Breach(name, "describe", f"returned {described!r}, not a System")
    if described.id != name:
        raise Breach(name, "describe", f"calls itself {described.id!r}")
    return described


def _same(pin: Pin, release: str) -> None:
    if pin.release != release:
        raise PluginUnavailable(pin.id, f"release {release} is installed, the session was decided under {pin.release}")
