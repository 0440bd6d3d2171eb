"""`blobforge lookup`: one document of the library, by its hash or its path."""

from contextlib import suppress

import click

from blobforge.cli import context, output
from blobforge.cli.documents import document_json, opened_library, state_text
from blobforge.cli.output import Column, json_option
from blobforge.domain.errors import NotFound
from blobforge.domain.manifest import Entries
from blobforge.domain.manifest_search import Found, by_hash, by_path, is_hash_prefix


@click.command()
@click.argument("document", required=False, metavar="[HASH|PATH]")
@click.option("--hash", "prefix", metavar="HASH", help="The document with this SHA-256, or its beginning.")
@click.option("--path", metavar="PATH", help="The document that was ingested under this path, or its end.")
@json_option
def command(document: str | None, *, prefix: str | None, path: str | None, as_json: bool) -> None:
    """Show what is known of a document of the library, by its hash or its path.

    What could be the beginning of a hash is taken for one, and for a path where no hash begins so; --hash and --path
    say which it is.

    Where a file was changed and ingested again, its path leads to several contents: the newest comes first.

    With --json: documents, a list of source_hash, paths, size, tags, ingested_at, source, state (of its job, or null).
    """
    if sum(name is not None for name in (document, prefix, path)) != 1:
        raise click.UsageError("say which document, by its hash or its path, once")
    settings = context.settings_of_queue()
    with opened_library(settings) as library:
        found = _found(library.contents().entries, document, prefix=prefix, path=path)
        states = library.states_of(found)
    if as_json:
        output.print_json({"documents": [document_json(source_hash, entry, states) for source_hash, entry in found]})
        return
    for place, (source_hash, entry) in enumerate(found):
        if place:
            output.print_line()
        facts = [
            ("hash", source_hash),
            *(("path", path) for path in entry.paths),
            ("size", f"{output.size_text(entry.size)} ({entry.size:,} bytes)"),
            ("tags", ", ".join(entry.tags)),
            ("source", entry.source),
            ("ingested", f"{entry.ingested_at:%Y-%m-%d %H:%M:%S} UTC"),
            ("state", state_text(states, source_hash)),
        ]
        output.print_table([Column("FACT", keep=True), Column("VALUE")], [fact for fact in facts if fact[1]])


def _found(entries: Entries, document: str | None, *, prefix: str | None, path: str | None) -> list[Found]:
    if prefix is not None:
        return [by_hash(entries, prefix)]
    if document is not None and is_hash_prefix(document.strip().lower()):
        with suppress(NotFound):
            return [by_hash(entries, document)]
    return by_path(entries, document or path or "")
