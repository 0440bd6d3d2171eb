"""What commands that walk through folders say of links that lead out of them."""

from collections.abc import Sequence

import click

from blobforge.cli import output
from blobforge.cli.progress import counted

MOST_NAMED = 5

follow_links_option = click.option(
    "--follow-links", is_flag=True, help="Also follow links that lead out of the folders that are named."
)


def tell_not_followed(links: Sequence[str]) -> None:
    if not links:
        return
    leads = "leads out of what you named and was" if len(links) == 1 else "lead out of what you named and were"
    named = ", ".join(links[:MOST_NAMED]) + (", … (--json names them all)" if len(links) > MOST_NAMED else "")
    output.warn(f"{counted(len(links), 'link')} {leads} not followed (--follow-links does): {named}")
