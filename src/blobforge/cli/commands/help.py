"""`blobforge help`: the help of the program, or of one command."""

import click

from blobforge.cli.choices import COMMAND
from blobforge.cli.main import PROGRAM, cli


@click.command()
@click.argument("names", nargs=-1, metavar="[COMMAND]...", type=COMMAND)
def command(names: tuple[str, ...]) -> None:
    """Show the help of the program, or of a COMMAND, as 'blobforge COMMAND --help' does."""
    # With its settings, which a context does not take over by itself: the names of the option, and the width.
    context = click.Context(cli, info_name=PROGRAM, **cli.context_settings)
    found: click.Command = cli
    for name in names:
        if not isinstance(found, click.Group):
            raise click.UsageError(f"{found.name!r} has no commands of its own")
        # The group's own way to say that there is none, and which is meant.
        _, inner, _ = found.resolve_command(context, [name])
        assert inner is not None, "a group that finds none says so"
        found, context = inner, click.Context(inner, info_name=name, parent=context)
    click.echo(found.get_help(context))
