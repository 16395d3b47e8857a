"""The tree of an explanation in words, and its number as one sum: "12 = 3 + 4 + 2 (3d6 cleaving) + 3 (STR 7)".

Pure over a log as one reader may see it. A plugin's texts make the sentences nicer; without them every code is read as
words and nothing else is lost (law 11). The log is folded once for all sentences of a tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from affray.kernel import (
    KIND_OF,
    Json,
    Log,
    Node,
    Num,
    Refused,
    Rewind,
    Roll,
    Successes,
    exact,
    total,
)

from .scene import Scene, finish, when_text
from .sentences import draft
from .sums import FACES_SHOWN, plan_text
from .texts import Texts, listed, printable, words
from .transcript import Story

TERMS_SHOWN = 24
"""Terms of one sum that are told one by one; what the others come to is told together."""

UNKNOWN = "kept from you"

EVENTS = frozenset(KIND_OF.values())
"""Codes of nodes that are events."""


class Branch(msgspec.Struct, frozen=True, kw_only=True):
    """A node of the tree with its words.

    `undone` marks an event that is not on the present line, `kept` what the reader may not know, `more` an event whose
    version tells more.
    """

    text: str
    code: str
    args: dict[str, Json]
    amount: Num | None
    source: str
    origin: str
    version: int
    undone: bool
    kept: bool
    more: bool
    terms: tuple[Branch, ...]
    because: tuple[Branch, ...]


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why a number is what it is: at which version, the sum in a sentence, and the tree of what it came from."""

    at: int
    number: Num | None
    sentence: str
    undone: bool
    tree: Branch


class Told(msgspec.Struct, frozen=True):
    """A line of the tree: how deep it stands, and what it says."""

    depth: int
    text: str


def explanation(log: Log, node: Node, texts: Texts) -> Explanation:
    """A tree of the kernel's, in words."""
    teller = _Teller(log, node, texts)
    tree = teller.branch(node)
    total = teller.total(node)
    return Explanation(
        at=node.version, number=node.amount, sentence=printable(total) or tree.text, undone=tree.undone, tree=tree
    )


def refusal(refused: Refused, texts: Texts) -> str:
    """Why nothing can be explained, and what there is."""
    args = [str(arg) for arg in refused.args]
    match refused.code:
        case "no-such-version":
            return f"There is no version {args[0]}; the log ends at {args[1]}."
        case "no-such-combatant":
            return f"Nobody in this fight has the id {args[0]}; {f'there are {listed(args[1:])}' if args[1:] else 'there is nobody'}."
        case "no-such-pool":
            return f"{args[0]} has no pool {args[1]}; there are {listed(args[2:]) or 'none'}."
        case _:
            return f"{words(refused.code).capitalize()}: {listed(args)}."


def lines(told: Explanation) -> Iterator[Told]:
    """The explanation to read: the sum, then the tree, each event once."""
    if told.sentence != told.tree.text:
        yield Told(0, told.sentence)
    yield from _lines(told.tree, 0, {}, is_undone=False)


def _lines(branch: Branch, depth: int, seen: dict[int, bool], *, is_undone: bool) -> Iterator[Told]:
    """A branch and what is below it. `is_undone` says that what it stands below was undone, and so is not said again."""
    is_event = branch.code in EVENTS
    below = (*_shown_terms(branch), *[one for one in branch.because if one.code != "sheet"])
    if is_event:
        seen[branch.version] = True
    mark = "undone, " if branch.undone and not is_undone else ""
    is_undone = is_undone or branch.undone
    yield Told(depth, f"{mark}version {branch.version}: {branch.text}" if is_event else branch.text)
    for one in below:
        if branch.code == "touch":  # its own line tells the event
            seen[one.version] = True
            for child in (*_shown_terms(one), *one.because):
                yield from _lines(child, depth + 1, seen, is_undone=is_undone)
        elif not (one.code in EVENTS and one.version in seen and not (one.terms or one.because)):
            yield from _lines(one, depth + 1, seen, is_undone=is_undone)


def _shown_terms(branch: Branch) -> Sequence[Branch]:
    """The terms that say more than the line above: no face of a die, no dice that all simply count, no only part."""
    if branch.code == "die":
        return ()
    if len(branch.terms) == 1 and branch.terms[0].code == "part":
        return branch.terms[0].terms
    dice = [one for one in branch.terms if one.code == "die"]
    others = [one for one in branch.terms if one.code != "die"]
    if len(dice) <= FACES_SHOWN:
        return others if all(one.args["fates"] == ("counts",) for one in dice) else (*dice, *others)
    more = f"and {len(dice) - FACES_SHOWN} more dice"
    return (*dice[:FACES_SHOWN], replace(dice[0], text=more, terms=()), *others)


class _Teller:
    """Finds words for the nodes of one tree."""

    def __init__(self, log: Log, root: Node, texts: Texts) -> None:
        self.log = log
        self.texts = texts
        wanted = {node.version for node in root.all()}
        rewinds = [version for version, event in enumerate(log.events, 1) if type(event) is Rewind]
        self.present = frozenset([*[version for version, _ in log.line()], *rewinds])
        story = Story(texts)
        self.scenes: dict[int, Scene] = {}
        for version, _ in log.line(root.version):
            scene = story.scene(version, log.event(version))
            if version in wanted:
                self.scenes[version] = scene
        self.end = Scene(version=root.version, before=story.state, after=story.state, texts=texts, runs=story.runs)

    def branch(self, node: Node) -> Branch:
        """A node with its words, and all below it."""
        return Branch(
            text=printable(self.text(node)),
            code=node.code,
            args=node.args,
            amount=node.amount,
            source=node.source,
            origin=node.origin,
            version=node.version,
            undone=node.code in EVENTS and node.version not in self.present,
            kept=node.is_kept,
            more=node.has_more,
            terms=tuple([self.branch(term) for term in node.terms]),
            because=tuple([self.branch(reason) for reason in node.because]),
        )

    # -- one node

    def text(self, node: Node) -> str:
        """What a node says."""
        if node.code in EVENTS:
            return self.sentence(node)
        plain = _PLAIN.get(node.code)
        if plain is not None:
            return plain(self, node)
        return f"{_lead(node)}{self.label(node)}"

    def sentence(self, node: Node, *untold: str) -> str:
        """An event's own sentence, without the tails that are told elsewhere: the sum where its terms stand below."""
        event = self.log.event(node.version)
        made = draft(self.scenes.get(node.version, self.end), event)
        if node.terms:
            untold = (*untold, "sum")
        made = replace(made, tails=tuple([tail for tail in made.tails if tail[0] not in untold]))
        return finish(self.texts, made, getattr(event, "by_rules", ())).text

    def name(self, who: str) -> str:
        """What somebody is called."""
        return self.end.name(who)

    def label(self, node: Node) -> str:
        """What a row is called: its words, with the number a sheet has under them."""
        if node.code == "rolled" or node.origin == "roll":
            roll = next((one for one in (*node.terms, *node.because) if one.code == "roll"), None)
            return self.dice(roll) if roll is not None else "dice"
        if node.code == "row":
            code = str(node.args["code"])
            label = self.texts.word(code, "row") or self.texts.word(node.source, "row")
            sheet = next((one for one in node.because if one.code == "sheet"), None)
            value = None if sheet is None else sheet.args["value"]
            return label if value is None or value == node.amount else f"{label} {value}"
        return words(node.code)

    def dice(self, roll: Node) -> str:
        """The dice of a roll as they are written down."""
        event: Roll = self.log.event(roll.version)
        return event.notation.partition("#")[0].strip() or plan_text(event.plan)

    # -- the sum

    def total(self, node: Node) -> str:
        """A number as the sum of its terms; "" where there is none, or where a part of it is kept."""
        if node.amount is None or not node.terms or any(term.amount is None for term in node.terms):
            return ""
        if node.code == "pool" and len(node.terms) == 1:
            return ""
        if node.code == "roll":
            return f"{node.amount} = {_signed([self.thrown(node, '')])}"
        pieces = [piece for term in node.terms for piece in self.pieces(term, self.kind(node))]
        if len(pieces) > TERMS_SHOWN:
            rest = pieces[TERMS_SHOWN:]
            more = str(total([piece.amount for piece in rest]))
            pieces = [*pieces[:TERMS_SHOWN], _Piece(more, f"{_unsigned(more)} ({len(rest)} more)")]
        return f"{node.amount} = {_signed(pieces) or '0'}"

    def kind(self, node: Node) -> str:
        """The words of a damage type."""
        kind = str(node.args.get("type", ""))
        return self.texts.word(kind, "type") if kind else ""

    def pieces(self, node: Node, kind: str) -> Iterator[_Piece]:
        """What a term is in a sum; nothing for nothing."""
        if node.code == "part":
            for term in node.terms:
                yield from self.pieces(term, self.kind(node) or kind)
        elif node.amount in (0, None):
            return
        elif node.code in ("row", "rolled") and node.terms and node.terms[0].code == "roll":
            yield self.thrown(node.terms[0], kind)
        elif node.amount is not None:
            label = f"{self.label(node)} {kind}".strip() if node.code == "rolled" else self.in_a_sum(node)
            yield _Piece(node.amount, f"{_unsigned(node.amount)} ({label})")

    def in_a_sum(self, node: Node) -> str:
        """What a term is called where there is room for a word or two."""
        match node.code:
            case "start":
                return "at the start"
            case "touch":
                return f"version {node.version}"
            case "gap" | "rest":
                return "not told"
            case _:
                return self.label(node)

    def thrown(self, roll: Node, kind: str) -> _Piece:
        """A roll in a sum: its faces where they are simply added, else what it reads."""
        amount = roll.amount if roll.amount is not None else 0
        faces = [face for die in roll.terms if die.code == "die" for face in _counting(die)]
        numbers = [*faces, *[term.amount for term in roll.terms if term.code == "constant" and term.amount is not None]]
        is_added = all(term.code in ("die", "constant") and "times" not in term.args for term in roll.terms)
        event: Roll = self.log.event(roll.version)
        shown = _unsigned(amount)
        if is_added and 0 < len(faces) <= FACES_SHOWN and not isinstance(event.plan.reading, Successes) and exact(amount) >= 0:
            shown = _signed([_Piece(one, _unsigned(one)) for one in numbers])
        return _Piece(amount, f"{shown} ({f'{self.dice(roll)} {kind}'.strip()})")

    # -- the words of what is no event

    def _part(self, node: Node) -> str:
        return f"{_lead(node)}{' '.join([part for part in (self.kind(node), 'damage') if part])}"

    def _row(self, node: Node) -> str:
        return f"{_lead(node)}{self.label(node)}{self._from(node)}"

    def _from(self, node: Node) -> str:
        """Where a row comes from, unless its label or the line below it says so."""
        match node.origin:
            case "sheet" | "person":
                sheet = next((one for one in node.because if one.code == "sheet"), None)
                if sheet is not None:
                    return f", on {self.name(str(sheet.args['who']))}'s sheet (version {sheet.version})"
                return ", on a sheet" if node.origin == "sheet" else ""
            case "system":
                return ", by the rules"
            case "house-rule":
                return f", by the house rule {words(node.source)}"
            case "declaration":
                return ", declared with the action"
            case "game-master":
                return ", by the game master"
            case "condition":
                return ", by a condition"
            case "":
                return f", {self.texts.word(node.source, 'row')}" if node.source else ""
            case _:
                return ""

    def _die(self, node: Node) -> str:
        """A die with its chain; what does not add up has no amount before it."""
        faces = zip(node.args["faces"], node.args["fates"], strict=True)
        shown = ", ".join([f"{face}{'' if fate == 'counts' else f' ({fate})'}" for face, fate in faces])
        times = f", times {node.args['times']}" if "times" in node.args else ""
        return f"{_lead(node)}{'d' if node.args['sides'] else 'die'}{node.args['sides'] or ''} shows {shown}{times}"

    def _touch(self, node: Node) -> str:
        before, after = node.args["before"], node.args["after"]
        change = f"{before} → {after}" if before is not None and after is not None else UNKNOWN
        return f"{change}, version {node.version}: {self.sentence(node.because[0], 'after')}"

    def _pool(self, node: Node) -> str:
        pool = self.texts.word(str(node.args["pool"]), "pool")
        value = UNKNOWN if node.amount is None else f"{node.amount}"
        undone, sealed = int(node.args["undone"]), int(node.args["sealed"])
        more = f"; {_many(undone, 'change')} undone and not counted" if undone else ""
        more += f"; {_many(sealed, 'event')} {UNKNOWN} may have changed it since" if sealed and node.amount is not None else ""
        return f"{self.name(str(node.args['who']))}'s {pool} at version {node.version}: {value}{more}"

    def _start(self, node: Node) -> str:
        pool = self.texts.word(str(node.args["pool"]), "pool")
        value = UNKNOWN if node.is_kept else f"{node.amount}"
        return f"{value}: {pool} at the start{f', version {node.version}' if node.version else ''}"

    def _gap(self, node: Node) -> str:
        why = UNKNOWN if node.is_kept else "no event tells why"
        return f"{node.args['before']} → {node.args['after']}: {why}"

    def _entry(self, node: Node) -> str:
        who = str(node.args["who"])
        return f"{self.name(who) if who else words(str(node.args['key']))} at {when_text(node.args['when'])}"

    def _number_of_dice(self, node: Node) -> str:
        return f"{node.amount}: number of dice{f', {UNKNOWN} why' if node.is_kept else ''}"

    def _option(self, node: Node) -> str:
        code = self.texts.word(str(node.args["code"]))
        return code if node.amount is None else f"{code}: {node.amount}"

    def _modifier(self, node: Node) -> str:
        return f"{_lead(node)}{self.texts.word(str(node.args['code']), 'row')} at {node.args['place']}"

    def _held(self, node: Node) -> str:
        value = "" if node.args["value"] in (None, 1) else f" {node.args['value']}"
        return f"{self.texts.word(str(node.args['id']), 'condition')}{value}"


_PLAIN: Mapping[str, Callable[[_Teller, Node], str]] = {
    "constant": lambda teller, node: f"{_lead(node)}added to the dice",
    "die": _Teller._die,
    "drop": lambda teller, node: f"{words(str(node.args['key']))} no longer",
    "earlier": lambda teller, node: f"{_many(int(node.args['count']), 'earlier step')} not listed",
    "entry": _Teller._entry,
    "face": lambda teller, node: f"{node.args['face']} ({node.args['fate']})",
    "gap": _Teller._gap,
    "held": _Teller._held,
    "house-rule": lambda teller, node: f"changed by the house rule {words(node.source)}",
    "kept": lambda teller, node: UNKNOWN,
    "modifier": _Teller._modifier,
    "number-of-dice": _Teller._number_of_dice,
    "option": _Teller._option,
    "part": _Teller._part,
    "pool": _Teller._pool,
    "reason": lambda teller, node: f"reason: {node.args['text']}",
    "rest": lambda teller, node: f"{_lead(node)}nothing here tells why",
    "restored": lambda teller, node: f"{_many(int(node.args['count']), 'event')} restored",
    "row": _Teller._row,
    "sheet": lambda teller, node: f"{node.args['name']} {node.args['value']} on {teller.name(str(node.args['who']))}'s sheet",
    "start": _Teller._start,
    "touch": _Teller._touch,
    "undone": lambda teller, node: f"{_many(int(node.args['count']), 'event')} undone",
}
"""Code of a node that is no event -> its words."""


class _Piece(NamedTuple):
    """A term of a sum: what it adds, and how it reads without its sign."""

    amount: Num
    text: str


def _lead(node: Node) -> str:
    """A node's amount as its line begins with it; nothing for a number that is none."""
    return "" if node.amount is None else f"{node.amount}: "


def _unsigned(amount: Num) -> str:
    return str(amount).removeprefix("-")


def _signed(pieces: Sequence[_Piece]) -> str:
    """Pieces as a sum; "" for none."""
    text = ""
    for piece in pieces:
        is_negative = str(piece.amount).startswith("-")
        if text:
            text += f" {'-' if is_negative else '+'} {piece.text}"
        else:
            text = f"-{piece.text}" if is_negative else piece.text
    return text


def _counting(die: Node) -> list[int]:
    """The faces of a die that count."""
    fates = die.args["fates"]
    return [face for face, fate in zip(die.args["faces"], fates, strict=True) if fate in ("counts", "exploded")]


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


__all__ = ["Branch", "Explanation", "Told", "explanation", "lines", "refusal"]
