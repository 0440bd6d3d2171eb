"""`blobforge search`: documents by what people remember of them."""

import click

from blobforge.cli import context, output
from blobforge.cli.documents import States, document_json, opened_library, state_text
from blobforge.cli.jobs import SHORT_HASH
from blobforge.cli.output import Column, json_option
from blobforge.domain.manifest_search import Found, search, telling_path


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="QUERY...")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1), help="At most so many.")
@json_option
def command(words: tuple[str, ...], *, limit: int, as_json: bool) -> None:
    """Find documents of the library by words in their paths and tags.

    All words of QUERY must be there, in any order and case; pieces of words will do, and the beginning of a hash.

    With --json: found, how many there are, and documents, a list of source_hash, paths, size, tags, ingested_at,
    source, state (of its job, or null).
    """
    settings = context.settings_of_queue()
    query = " ".join(words)
    with opened_library(settings) as library:
        found = search(library.contents().entries, query)
        shown = found[:limit]
        states = library.states_of(shown)
    if as_json:
        documents = [document_json(source_hash, entry, states) for source_hash, entry in shown]
        output.print_json({"found": len(found), "documents": documents})
        return
    if not found:
        output.say(f"no document has {query!r} in its paths or tags")
        return
    _print(shown, query, states)
    if len(found) > limit:
        output.say(f"{len(found) - limit} more: --limit {len(found)}, or another word")


def _print(found: list[Found], query: str, states: States) -> None:
    columns = [
        *(Column("HASH", keep=True), Column("STATE", keep=True), Column("SIZE", right=True, keep=True)),
        *(Column("TAGS"), Column("PATH")),
    ]
    output.print_table(
        columns,
        [
            [
                source_hash[:SHORT_HASH],
                state_text(states, source_hash),
                output.size_text(entry.size),
                ", ".join(entry.tags),
                telling_path(entry, query) + (f" (and {len(entry.paths) - 1} more)" if len(entry.paths) > 1 else ""),
            ]
            for source_hash, entry in found
        ],
    )
