"""plugins/WRITING.md: its blocks make a package that installs, plays, passes its tests, and prints what the page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ..support.fresh import Fresh

PAGE = Path(__file__).parents[2] / "plugins" / "WRITING.md"
TEXT = PAGE.read_text("utf-8")

BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: its language, the path of the file that it belongs to ("" for none), its text, what stands above it."""

    language: str
    path: str
    text: str
    above: str


class Printed(NamedTuple):
    """A command of the page: what is shown below it, what it printed, and its exit code."""

    command: str
    shown: str
    printed: str
    code: int


def blocks() -> Iterator[Block]:
    begin = 0
    for found in BLOCK.finditer(TEXT):
        yield Block(found[1], found[2] or "", found[3], TEXT[begin : found.start()])
        begin = found.end()


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with what is shown below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def pattern(shown: str) -> str:
    """What may be printed where this is shown: `...` stands for the rest of a line, on a line of its own for any lines."""
    lines = [line.rstrip() for line in shown.strip("\n").split("\n")] if shown.strip() else []
    return "".join(
        ["(?:.*\n)*?" if line == "..." else ".*".join(re.escape(part) for part in line.split("...")) + "\n" for line in lines]
    )


def is_as_shown(shown: str, printed: str) -> bool:
    lines = "".join([f"{line.rstrip()}\n" for line in printed.strip("\n").split("\n")]) if printed.strip() else ""
    return re.fullmatch(pattern(shown), lines) is not None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("afternoon")


@pytest.fixture(scope="module")
def done(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Printed]:
    """Everything on the page, done in its order in an empty folder."""
    fresh = Fresh(tmp_path_factory.mktemp("author"))
    found = []
    for block in blocks():
        if block.path:
            path = folder / block.path
            path.parent.mkdir(exist_ok=True)
            before = path.read_text("utf-8") + "\n\n" if path.exists() else ""
            path.write_text(before + block.text, "utf-8")
        for command, shown in commands(block.text) if block.language == "console" else ():
            ran = fresh.shell(command, folder)
            found.append(Printed(command, shown, ran.stdout, ran.returncode))
    return found


def test_every_block_is_a_file_or_is_run() -> None:
    found = list(blocks())
    assert TEXT.count("\n```") == 2 * len(found)
    assert [block for block in found if bool(block.path) == (block.language == "console")] == []
    assert len(found) > 20


def test_the_path_of_a_file_is_named_above_it() -> None:
    assert [block.path for block in blocks() if block.path and f"`{block.path}`" not in block.above] == []


def test_every_command_prints_what_the_page_shows(done: list[Printed]) -> None:
    assert len(done) > 20
    assert [(one.command, one.code, one.printed) for one in done if one.code] == []
    other = [one for one in done if not is_as_shown(one.shown, one.printed)]
    assert not other, "\n".join([f"$ {one.command}\n{one.printed}" for one in other])


def test_it_installs_elsewhere_and_plays_there(done: list[Printed], folder: Path, tmp_path: Path) -> None:
    """The wheel of the page in another fresh environment: what it brings is found, played, audited, and no tree is used."""
    assert done
    (built,) = (folder / "dist").glob("*.whl")
    (tmp_path / "table").mkdir()
    other = Fresh(tmp_path / "other", built)
    where = other.must("python -c 'import affray.kernel as k, scuffle as s; print(k.__file__, s.__file__)'", tmp_path / "table")
    assert [path for path in where.split() if not path.startswith(str(other.site))] == []
    played = other.must(f"affray run {folder}/fight.toml --session mine", tmp_path / "table")
    assert "The scuffle is over: red wins." in played
    assert "\nclean; 47 events in 9 commits" in other.must("affray audit mine", tmp_path / "table")
    assert "\nclean; 47 events in 9 commits" in other.must(f"affray audit {folder}/inn.affray", tmp_path / "table")


def test_every_link_leads_to_a_file() -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", TEXT)
    assert len(links) > 10
    assert [link for link in links if not (PAGE.parent / link).exists()] == []


def test_what_differs_from_the_page_is_found() -> None:
    """The comparison above can fail."""
    shown = "one\n...\nhead: 4:...\nlast\n"
    assert is_as_shown(shown, "one\n2\n3\nhead: 4:abc\nlast\n")
    assert is_as_shown(shown, "one\nhead: 4:\nlast")
    for printed in ("", "one\n2\nhead: 5:abc\nlast\n", "one\nhead: 4:abc\nlast\nmore\n", "two\none\nhead: 4:abc\nlast\n"):
        assert not is_as_shown(shown, printed), printed
    assert is_as_shown("", "")
    assert not is_as_shown("", "Traceback\n")
