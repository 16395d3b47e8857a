"""`check_rules` and `check_house_rule`: everything that is looked for in a plugin, in one call.

The plugins are played by fights that nobody wrote (`player.py`), watched (`watch.py`), with the world blocked (`world.py`). The
same fights are then played again in every way in which a log can come to be read, and each verdict and roll is changed once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import entry_points
from typing import Any

from ..errors import Breach, InputError, PluginUnavailable
from ..inputs import check_json
from ..rules import Rules
from ..steps import kebab
from ..upcast import UPCASTERS, Upcasters
from ..values import Json
from .again import check_again, check_audit, check_fold, compare_lines, maker_of
from .bounds import COMMANDS, FIGHTS, SHEETS
from .elsewhere import Elsewhere, reference
from .findings import Exempt, Finding, Report, Tally, condensed, exempted
from .otherwise import ByItself, Unused
from .player import Fought, Player, Setup, Tried
from .sheets import valid_sheets
from .table import Book, Factory, made
from .told import (
    check_description,
    check_places,
    check_texts,
    check_traces,
    check_types,
    never,
    untraced,
    words_of,
)
from .upcasts import check_upcasters
from .watch import Entered, Watch, WatchedRules
from .world import blocked, modules_of

SYSTEMS = "affray.systems"
HOUSE_RULES = "affray.house_rules"

Progress = Callable[[str], None]
"""Is told now and then what is being done."""


def check_rules(
    system: Factory | str,
    *,
    sheets: Sequence[Mapping[str, Json]] = (),
    actions: Mapping[str, Sequence[Mapping[str, Json]]] | None = None,
    options: Mapping[str, Json] | None = None,
    bundle: str = "",
    fights: int = FIGHTS,
    commands: int = COMMANDS,
    seed: str = "kit",
    exempt: Iterable[Exempt] = (),
    old_events: Iterable[dict[str, Json]] = (),
    upcasters: Upcasters = UPCASTERS,
    processes: bool = True,
    progress: Progress | None = None,
    entered: Entered | None = None,
) -> Report:
    """Check a rules system: its factory (importable, so that other processes can be asked), or the name of its entry point.

    `sheets` are valid sheets to play with; without any they are made of the sheet's type. `actions` gives parameters by the
    action, for what no form offers and no type tells. `old_events` are raw events of old schemas for `upcasters`. Without
    `processes` nothing is asked elsewhere. Raises InputError for sheets or options that are not the system's.
    """
    check = _Check(_factory(SYSTEMS, system), {}, seed, progress, entered)
    check.name = system if isinstance(system, str) else check.name
    check.play(sheets, actions or {}, options or {}, bundle, fights, commands, processes=processes)
    check_upcasters(old_events, check.tally, upcasters)
    return check.report(check.name, exempt)


def check_house_rule(
    rule: Factory | str,
    *,
    over: Factory | str,
    name: str = "",
    beside: Mapping[str, Factory] | None = None,
    sheets: Sequence[Mapping[str, Json]] = (),
    actions: Mapping[str, Sequence[Mapping[str, Json]]] | None = None,
    options: Mapping[str, Json] | None = None,
    bundle: str = "",
    fights: int = FIGHTS,
    commands: int = COMMANDS,
    seed: str = "kit",
    exempt: Iterable[Exempt] = (),
    processes: bool = True,
    progress: Progress | None = None,
    entered: Entered | None = None,
) -> Report:
    """Check a house rule over a system, with other house rules `beside` it (they come first in the manifest).

    `name` is the rule's in the manifest (default: that of its entry point, or of its class). What is found in the system
    without the rule as well is the system's own, and left out. Everything else is as for `check_rules`.
    """
    factory = _factory(HOUSE_RULES, rule)
    name = name or (rule if isinstance(rule, str) else _named(factory))
    base = _factory(SYSTEMS, over)
    told = (sheets, actions or {}, options or {}, bundle, fights, commands)
    check = _Check(base, {**(beside or {}), name: factory}, seed, progress, entered)
    check.name = over if isinstance(over, str) else check.name
    check.play(*told, processes=processes)
    found = check.tally.findings()
    if any(one.plugin != name for one in found):
        alone = _Check(base, dict(beside or {}), seed, progress, entered)
        alone.play(*told, processes=False)
        known = {(one.code, one.plugin, one.hook) for one in alone.tally.findings()}
        found = tuple([one for one in found if one.plugin == name or (one.code, one.plugin, one.hook) not in known])
    return check.report(name, exempt, found)


def _factory(group: str, plugin: Factory | str) -> Factory:
    """A factory, by itself or by the name of its entry point. Raises PluginUnavailable."""
    if not isinstance(plugin, str):
        if not callable(plugin):
            raise TypeError(f"{plugin!r} is no factory: give its class, or a function that makes it")
        return plugin
    found = list(dict.fromkeys([point.value for point in entry_points(group=group, name=plugin)]))
    if len(found) != 1:
        raise PluginUnavailable(plugin, "is not installed" if not found else f"is offered more than once: {', '.join(found)}")
    try:
        loaded: Factory = next(iter(entry_points(group=group, name=plugin))).load()
    except (Exception, SystemExit) as error:
        raise PluginUnavailable(plugin, f"cannot be loaded: {error!r}") from error
    return loaded


def _named(factory: Factory) -> str:
    name = getattr(factory, "__name__", "")
    if isinstance(factory, type):
        return kebab(name).replace("_", "-")
    try:
        return kebab(type(factory()).__name__)
    except (Exception, SystemExit):
        return name.replace("_", "-") or "house-rule"


def _declared(factory: Factory) -> tuple[Exempt, ...]:
    """What a plugin says of itself: (code, text, because) for findings that are to be lived with, in its `exempt`."""
    try:
        raw = tuple(getattr(factory(), "exempt", ()))
    except (Exception, SystemExit):
        return ()  # told elsewhere
    return tuple([Exempt(*one) for one in raw if isinstance(one, tuple) and len(one) == 3])


class _Check:
    """One check of a system and the house rules over it."""

    def __init__(
        self, system: Factory, house: Mapping[str, Factory], seed: str, progress: Progress | None, entered: Entered | None
    ) -> None:
        self.tally = Tally()
        self.watch = Watch(self.tally, entered)
        self.name = getattr(system, "__name__", "system")
        self.notes: list[str] = []
        self._system, self._house, self._seed = system, dict(house), seed
        self._progress = progress or (lambda what: None)
        self._fights: list[Fought] = []
        self._tried: dict[str, Tried] = {}

    def report(self, plugin: str, exempt: Iterable[Exempt], found: Iterable[Finding] | None = None) -> Report:
        """What was found, without what the plugins themselves say is to be lived with."""
        listed = self.tally.findings() if found is None else tuple(found)
        own = [one for factory in (self._system, *self._house.values()) for one in _declared(factory)]
        known = [one for one in own if any(one.covers(finding) for finding in listed)]
        left = [finding for finding in listed if not any(one.covers(finding) for one in known)]
        exemptions = [f"{one.code}, {one.text}: the plugin says that {one.because}" for one in known]
        return Report(
            plugin=plugin,
            findings=condensed(exempted(left, exempt, plugin)),
            notes=(*self.notes, *exemptions),
            fights=len(self._fights),
            commands=sum(len(one.moves) for one in self._fights),
            events=sum(one.table.head for one in self._fights),
        )

    # -- in order

    def play(
        self,
        sheets: Sequence[Mapping[str, Json]],
        actions: Mapping[str, Sequence[Mapping[str, Json]]],
        options: Mapping[str, Json],
        bundle: str,
        fights: int,
        commands: int,
        *,
        processes: bool,
    ) -> None:
        """Play and look at everything, as far as the plugins come."""
        book = self._book()
        if book is None:
            return
        self.name = book.system
        rules = self._rules(book, options, bundle)
        if rules is None:
            return
        check_types(rules, self.tally)
        setup = Setup(
            sheets=self._sheets(rules, sheets),
            options=dict(options),
            bundle=bundle,
            actions={name: tuple([dict(one) for one in given]) for name, given in actions.items()},
            fights=fights,
            commands=commands,
            seed=self._seed,
        )
        if not setup.sheets:
            return
        self._derive(rules, setup)
        others = self._elsewhere(setup) if processes else None
        try:
            self._look(book, rules, setup)
            if others is not None:
                self._progress("waiting for other processes")
                self._compare(book, others)
        finally:
            if others is not None:
                others.close()

    def _derive(self, rules: Rules, setup: Setup) -> None:
        """What follows from the sheets adds up."""
        for sheet in setup.sheets:
            try:
                rules.derive(rules.read_sheet(sheet))
            except Breach as breach:
                self.tally.add("breach", breach.plugin, breach.hook, breach.problem)

    def _look(self, book: Book, rules: Rules, setup: Setup) -> None:
        plugins = [plugin for _, plugin in rules_plugins(rules)]
        with self.watch.time_limit() as is_limited, blocked(self.watch.hear_world, modules_of(self._system, *self._house.values(), *plugins)):
            for number in range(setup.fights):
                self._progress(f"fight {number + 1} of {setup.fights}")
                book.fresh()
                self._fights.append(Player(book, setup, number, self.tally, self._tried).play())
                if self.tally.has("endless"):
                    break
            if not is_limited:
                self.notes.append("a hook that never comes back is not broken off here: this is not the main thread")
            whole = [fought for fought in self._fights if not fought.is_broken]
            worded = words_of(rules, self.tally)
            if not self.watch.touched:
                self._again(book, setup, whole)
                self._otherwise(worded, whole)
        self._progress("what is told")
        check_description(rules, worded, self.watch, self.tally)
        check_texts(rules, worded, self.watch, whole, self.tally)
        check_traces(self.watch, whole, self.tally)
        check_places(rules, self.watch, self.tally)
        self._forms(book.system)
        played = [name for name, tried in self._tried.items() if tried.accepted]
        self.notes += untraced(whole)
        self.notes += never(rules.system, self.watch, played)
        self.notes += [f"{name}: {hook} never gave anything" for name, hook in self._idle(rules)]

    def _again(self, book: Book, setup: Setup, whole: Sequence[Fought]) -> None:
        maker = maker_of(self.watch, book.system, list(self._house))
        for fought in whole:
            self._progress(f"fight {fought.number + 1} again")
            check_fold(fought, book.system, self.tally)
            check_audit(self._bare(), fought, maker, self.tally)
            check_again(self._bare(), setup, fought, maker, self.tally, code="not-repeatable")
        if self.tally.has("not-repeatable"):
            return
        used = self._bare()
        for fought in whole:
            check_again(used, setup, fought, maker, self.tally, code="hidden-state")
        for fought in whole:
            self._progress(f"fight {fought.number + 1} resumed")
            check_again(self._bare(), setup, fought, maker, self.tally, code="resume", cold=True)

    def _otherwise(self, worded: Mapping[str, str], whole: Sequence[Fought]) -> None:
        unused = Unused(self.tally, worded)
        for fought in whole:
            self._progress(f"fight {fought.number + 1} otherwise")
            unused.look(ByItself(self._bare(), fought))
        unused.tell()

    def _forms(self, system: str) -> None:
        for name, tried in self._tried.items():
            if tried.accepted or tried.possible or not tried.times:
                continue
            why = ", ".join([*tried.why, *tried.unread]) or "nothing was said"
            text = f"{name!r} was filled in {tried.times} ways and always refused ({why})"
            if tried.invented:
                told = ", ".join(tried.invented)
                self.notes.append(f"{text}; no form offers values of {told}: give the check some (`actions`)")
            else:
                self.tally.add("form-refused", self.watch.offers.get(name, system), "actions", text)

    def _idle(self, rules: Rules) -> Iterator[tuple[str, str]]:
        for hook, found in rules._hooks.items():
            for name, _ in found:
                if name in self._house and (name, hook) not in self.watch.called:
                    yield name, hook

    # -- plugins

    def _book(self) -> Book | None:
        try:
            for name, factory in self._house.items():
                made(name, factory)
            return Book(self._system, self._house, partial(WatchedRules, self.watch))
        except Breach as breach:
            name = self.name if breach.plugin == "system" else breach.plugin
            code = "unloadable" if breach.hook == "factory" else "unbuildable"
            self.tally.add(code, name, breach.hook, breach.problem)
            return None

    def _bare(self) -> Book:
        """The same plugins, new and not watched."""
        return Book(self._system, self._house)

    def _rules(self, book: Book, options: Mapping[str, Json], bundle: str) -> Rules | None:
        try:
            return book(book.manifest(options, bundle))
        except Breach as breach:
            self.tally.add("unbuildable", breach.plugin, breach.hook, breach.problem)
        except PluginUnavailable:
            raise
        except InputError as error:
            if options or bundle:
                raise
            self.tally.add("unbuildable", book.system, "describe", str(error))
        except Exception as error:
            self.tally.add("unbuildable", book.system, "describe", f"describes what cannot be written: {error!r}")
        return None

    def _sheets(self, rules: Rules, sheets: Sequence[Mapping[str, Json]]) -> tuple[dict[str, Json], ...]:
        for index, sheet in enumerate(sheets):
            try:
                check_json(dict(sheet))
                rules.pools(rules.read_sheet(dict(sheet)))
            except InputError as error:
                raise InputError(error.problem, path=f"sheets[{index}]{error.path.removeprefix('$')}", value=error.value) from None
            except Breach as breach:
                self.tally.add("breach", breach.plugin, breach.hook, breach.problem)
                return ()
        if sheets:
            return tuple([dict(sheet) for sheet in sheets])
        try:
            found = tuple(valid_sheets(rules, self._seed, SHEETS))
        except Breach as breach:
            self.tally.add("breach", breach.plugin, breach.hook, breach.problem)
            return ()
        if not found:
            kind = rules.sheet_type.__name__
            self.tally.add("unplayed", self.name, "check_sheet", f"no valid sheet could be made of {kind}; give the check some (`sheets`)")
        return found

    # -- other processes

    def _elsewhere(self, setup: Setup) -> Elsewhere | None:
        names = {name: reference(factory) for name, factory in self._house.items()}
        system = reference(self._system)
        if not (system and all(names.values())):
            self.notes.append("not played in other processes: a factory is no name of a module")
            return None
        return Elsewhere(system, names, setup)

    def _compare(self, book: Book, others: Elsewhere) -> None:
        maker = maker_of(self.watch, book.system, list(self._house))
        mine = list(self._house)[-1] if self._house else book.system
        for answer in others.wait():
            for what in answer.rude:
                self.tally.add("rude", mine, "import", f"changes {what}")
            self.tally.take([one for one in answer.findings if one.code == "world"])
            if answer.problem:
                code = "endless" if answer.problem.startswith("did not come") else "unloadable"
                self.tally.add(code, mine, "import", f"in another process it {answer.problem}")
            elif not (self.watch.touched or self.tally.has("world", "not-repeatable", "endless")):
                for fought, lines in zip(self._fights, answer.fights, strict=True):
                    compare_lines(fought, [line.encode() for line in lines], maker, self.tally, code="hash-order")


def rules_plugins(rules: Rules) -> list[tuple[str, Any]]:
    """The plugin objects behind rules, by name."""
    found: dict[str, Any] = {}
    for hooks in rules._hooks.values():
        for name, function in hooks:
            inner: Any = function
            while isinstance(inner, partial):
                inner = inner.args[2]
            found.setdefault(name, getattr(inner, "__self__", inner))
    return list(found.items())


__all__ = ["check_house_rule", "check_rules"]
