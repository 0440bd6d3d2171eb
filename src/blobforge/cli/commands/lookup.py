"""`blobforge lookup`: one document of the library, by its hash or its path."""

import click

from blobforge.cli import context, output
from blobforge.cli.documents import document_json, state_text, states_of
from blobforge.cli.output import Column, json_option
from blobforge.domain.manifest_search import by_hash, by_path


@click.command()
@click.option("--hash", "prefix", metavar="HASH", help="The document with this SHA-256, or its beginning.")
@click.option("--path", metavar="PATH", help="The document that was ingested under this path, or its end.")
@json_option
def command(*, prefix: str | None, path: str | None, as_json: bool) -> None:
    """Show what is known of a document of the library, by its hash or its path.

    Where a file was changed and ingested again, its path leads to several contents: the newest comes first.

    With --json: documents, a list of source_hash, paths, size, tags, ingested_at, source, state (of its job, or null).
    """
    from blobforge import wiring

    if (prefix is None) == (path is None):
        raise click.UsageError("say which document, by either --hash or --path")
    settings = context.settings()
    entries = wiring.open_manifest(settings).entries()
    found = [by_hash(entries, prefix)] if prefix is not None else by_path(entries, path or "")
    states = states_of(settings, found)
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
