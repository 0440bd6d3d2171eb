"""`blobforge completion`: scripts that let a shell complete commands and options."""

import click
from click.shell_completion import ShellComplete, get_completion_class

from blobforge.cli.main import COMPLETION_VARIABLE, PROGRAM, cli
from blobforge.cli.output import json_option, print_json

INSTALL = {
    "bash": "echo 'source <(blobforge completion bash)' >> ~/.bashrc",
    "zsh": "echo 'autoload -Uz compinit && compinit && source <(blobforge completion zsh)' >> ~/.zshrc",
    "fish": "blobforge completion fish > ~/.config/fish/completions/blobforge.fish",
}


@click.command()
@click.argument("shell", type=click.Choice(list(INSTALL)))
@json_option
def command(*, shell: str, as_json: bool) -> None:
    """Print a script that completes commands and options in SHELL: bash, zsh or fish.

    The script's last line says how to install it; so does `install` with --json.

    With --json: shell, install (a command line) and script.
    """
    script = _script(shell)
    if as_json:
        print_json({"shell": shell, "install": INSTALL[shell], "script": script})
    else:
        click.echo(script, nl=False)


def _script(shell: str) -> str:
    completion = get_completion_class(shell)
    assert completion is not None
    # The class's own `source` first runs the shell to learn its version, which need not be installed here.
    script = ShellComplete.source(completion(cli, {}, PROGRAM, COMPLETION_VARIABLE))
    # Not at the top: zsh wants its #compdef in the first line.
    return f"{script.strip()}\n\n# To install: {INSTALL[shell]}\n"
