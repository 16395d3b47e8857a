"""`affray completion`: what a shell needs to complete commands, options and the ids of stored sessions."""

from __future__ import annotations

import click

HOW = {
    "bash": 'eval "$(affray completion bash)" in ~/.bashrc',
    "zsh": 'eval "$(affray completion zsh)" in ~/.zshrc',
    "fish": "affray completion fish > ~/.config/fish/completions/affray.fish",
}
"""Shell -> what turns completion on."""


@click.command("completion", epilog="Turn it on by: " + "; ".join(f"{line}" for line in HOW.values()) + ".")
@click.argument("shell", type=click.Choice(list(HOW)))
def command(shell: str) -> int:
    """Print what makes SHELL complete commands, options and the ids of stored sessions."""
    from click.shell_completion import get_completion_class

    from . import app

    found = get_completion_class(shell)
    assert found is not None, "click knows the shells of HOW"
    click.echo(found(app, {}, "affray", "_AFFRAY_COMPLETE").source())
    return 0
