"""`blobforge manifest`: what the library holds as a whole, and its manifest made anew."""

from collections import Counter

import click

from blobforge.cli import context, output
from blobforge.cli.documents import opened_library
from blobforge.cli.groups import HelpfulGroup
from blobforge.cli.output import Column, json_option
from blobforge.cli.queue import opened_pair
from blobforge.clock import SystemClock
from blobforge.domain.manifest import ManifestContents
from blobforge.ingest import rebuild as rebuilding

MOST_FREQUENT = 20


@click.group(cls=HelpfulGroup, invoke_without_command=True)
@click.option("--verbose", is_flag=True, help="Show also the most frequent tags.")
@json_option
@click.pass_context
def command(ctx: click.Context, *, verbose: bool, as_json: bool) -> None:
    """Show what the library holds as a whole.

    With --json: documents, size (in bytes), paths, tags and sources (objects of how many documents have each),
    updated_at (null where nothing was ever ingested).
    """
    if ctx.invoked_subcommand is not None:
        if verbose or as_json:
            raise click.UsageError(f"write options behind '{ctx.invoked_subcommand}'")
        return
    with opened_library(context.settings()) as library:
        contents = library.contents()
    entries = contents.entries.values()
    tags = Counter(tag for entry in entries for tag in entry.tags)
    sources = Counter(entry.source for entry in entries if entry.source)
    if as_json:
        output.print_json(
            {
                "documents": len(entries),
                "size": sum(entry.size for entry in entries),
                "paths": sum(len(entry.paths) for entry in entries),
                "tags": dict(tags.most_common()),
                "sources": dict(sources.most_common()),
                "updated_at": None if contents.updated_at is None else contents.updated_at.isoformat(),
            }
        )
    elif not entries:
        output.say("the manifest has no documents yet")
    else:
        _print(contents, tags, sources)
        if verbose:
            _print_tags(tags)


@command.command("rebuild")
@click.option("--force", is_flag=True, help="Also where it is damaged: the damaged one is kept under another name.")
@json_option
def rebuild(*, force: bool, as_json: bool) -> None:
    """Make the manifest anew, from the documents in the store and what the queue knows of them.

    What the manifest knew before stays; documents that it did not know are added, and sizes are put right.

    With --json: documents, added, not_in_store (documents of which only the manifest knows), set_aside (the names
    under which damaged files are kept).
    """
    from blobforge import wiring

    settings = context.settings()
    wiring.require_server_machine(settings, "manifest rebuild")
    with opened_pair(settings) as queue:
        manifest = wiring.open_manifest(settings)
        set_aside = manifest.set_aside() if force else []
        done = rebuilding.rebuild(manifest, wiring.open_blobs(settings), queue, project=settings.project)
    documents = len(done.contents.entries)
    if as_json:
        counts = {"documents": documents, "added": done.added, "not_in_store": done.sourceless}
        output.print_json({**counts, "set_aside": set_aside})
        return
    for name in set_aside:
        output.warn(f"it was damaged; the damaged one is kept as {name}")
    output.say(f"{documents} documents in the manifest, {done.added} of them added now")
    if done.sourceless:
        output.say(f"{done.sourceless} are not in the store any more, or never were; what is known of them is kept")


def _print(contents: ManifestContents, tags: Counter[str], sources: Counter[str]) -> None:
    entries = contents.entries.values()
    facts = [
        ("documents", f"{len(entries):,}"),
        ("size", output.size_text(sum(entry.size for entry in entries))),
        ("paths", f"{sum(len(entry.paths) for entry in entries):,}"),
        ("tags", f"{len(tags):,}"),
        ("sources", ", ".join(f"{source} ({count:,})" for source, count in sources.most_common())),
    ]
    if contents.updated_at is not None:
        age = output.age_text(contents.updated_at, now=SystemClock().now())
        facts.append(("updated", f"{contents.updated_at:%Y-%m-%d %H:%M:%S} UTC ({age})"))
    output.print_table([Column("FACT", keep=True), Column("VALUE")], [fact for fact in facts if fact[1]])


def _print_tags(tags: Counter[str]) -> None:
    if not tags:
        return
    output.print_line()
    rows = [[tag, f"{count:,}"] for tag, count in tags.most_common(MOST_FREQUENT)]
    output.print_table([Column("TAG"), Column("DOCUMENTS", right=True, keep=True)], rows)
    if len(tags) > MOST_FREQUENT:
        output.say(f"{len(tags) - MOST_FREQUENT} more tags: --json has them all")
