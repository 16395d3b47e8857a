"""The command line. A command's module is imported when the command runs, so `affray --help` waits for nothing.

Exit codes: 0 good; 1 a finding, a refusal or damage; 2 misuse (no such session, a bad option, an unreadable file);
130 interrupted. A person gets one sentence on standard error; AFFRAY_DEBUG shows the traceback instead.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NoReturn

import click

from . import db

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SECTIONS = {
    "Play": {
        "demo": "Play a fight that comes with Affray, print it, verify it.",
        "play": "Play at the keyboard, alone or several people together.",
        "run": "Play an encounter file.",
    },
    "Read": {
        "sessions": "List the stored sessions.",
        "log": "List the events of a session, each in a sentence.",
        "show": "Show the state of a fight, now or at any version.",
        "why": "Explain a number: what it came from, as a sum and as a tree.",
        "odds": "Tell how likely each outcome of an action is, as the fight stands.",
        "luck": "Tell how likely what was rolled was, and whether the dice look fair.",
        "replay": "Fold a log event by event and print it as a transcript, without any rules.",
        "diff": "Compare two sessions, or two versions of one.",
        "whatif": "Play logs again under other rules, with their dice and answers.",
        "verify": "Check bytes, digests, arithmetic and dice of one log, or of all.",
        "audit": "Carry logs out again with their rules: where do record and rules part?",
        "sheet": "Derive every value of a sheet in a file, and say why.",
    },
    "Send one command to a stored session": {
        "declare": "Declare an action.",
        "answer": "Answer what somebody is asked.",
        "report": "Report dice that were rolled at the table.",
        "undo": "Take back the last action, or the one named.",
        "redo": "Return to where the newest undo came from.",
        "note": "Write something into the log.",
        "overrule": "The game master's word: set something, with a reason.",
        "amend": "Go back, change what was forgotten or wrong, and play everything since again.",
        "rules": "Show the rules of a session, or change them from here on.",
        "reveal": "Open the kept part of an event to everybody.",
        "reveal-dice": "Open the secret behind the dice so far, and begin a new one.",
    },
    "Carry": {
        "fork": "Start a session that begins as another did, up to a version.",
        "export": "Write a session to a file, as one reader may have it.",
        "import": "Store a file as a session, after verifying it.",
        "copy": "Store a session in another folder too.",
    },
    "Set up": {
        "plugins": "List the rules systems and house rules that are installed.",
        "check-plugin": "Hold an installed plugin to its contract.",
        "new-plugin": "Write a small plugin that works, to begin from.",
        "completion": "Print what makes a shell complete commands and sessions.",
    },
}
"""The commands as `--help` shows them: name and what it does."""

COMMANDS = {name: text for section in SECTIONS.values() for name, text in section.items()}

INTERRUPTED = 130
BROKEN_PIPE = 141


class Commands(click.Group):
    """Commands by name, each in a module of that name, and one place where errors become sentences."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of the tables."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"{__name__}.{_module(cmd_name)}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The tables of commands, without importing any."""
        columns = max(map(len, COMMANDS))
        for title, section in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{columns}}", text) for name, text in section.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin so, without importing any; behind them, the options."""
        from click.shell_completion import CompletionItem

        found = [CompletionItem(name, help=text) for name, text in COMMANDS.items() if name.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def main(  # type: ignore[override]  # click's overloads depend on standalone_mode, which is ours to choose
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run, and exit with a code."""
        extra["standalone_mode"] = False
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="replace")
        try:
            code = super().main(args, prog_name or "affray", **extra)
        except click.ClickException as error:
            _complain(_usage(error))
            code = error.exit_code
        except click.Abort:
            _complain("interrupted")
            code = INTERRUPTED
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what goes wrong becomes one sentence and an exit code."""
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
            return code
        except BrokenPipeError:
            _let_go()
            return BROKEN_PIPE
        except (click.ClickException, click.exceptions.Exit, click.Abort, KeyboardInterrupt):
            raise
        except Exception as error:
            if os.environ.get("AFFRAY_DEBUG"):
                raise
            from .failures import explain

            sentence, code = explain(error)
            _complain(sentence)
            return code


def _module(name: str) -> str:
    """The module of a command: its name as Python allows it."""
    module = name.replace("-", "_")
    return f"{module}_" if iskeyword(module) else module


def _usage(error: click.ClickException) -> str:
    ctx = getattr(error, "ctx", None)
    hint = f" (see '{ctx.command_path} --help')" if ctx is not None else ""
    return error.format_message().rstrip(".") + hint


def _complain(sentence: str) -> None:
    click.echo(f"affray: {' '.join(sentence.split())}", err=True)


def _let_go() -> None:
    """Nobody reads any more: let the interpreter not complain of it when it flushes at its end."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
    except (OSError, ValueError):
        return


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import PackageNotFoundError, version

        try:
            click.echo(f"affray {version('affray')}")
        except PackageNotFoundError:
            click.echo("affray, not installed as a package")
        ctx.exit()


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@db.option
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the release.")
@click.pass_context
def app(ctx: click.Context) -> None:
    """Record, replay and verify tabletop fights.

    SESSION is the id of a stored session or a path to an .affray file. Sessions are stored in a folder of your data
    folder, which AFFRAY_HOME names, or in the folder that --db names.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> None:
    """Run the command line (the program `affray`)."""
    app()


__all__ = ["COMMANDS", "SECTIONS", "app", "main"]
