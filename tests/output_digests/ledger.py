"""The digests of each version, and what they say of the outputs of today."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.output_digests.outputs import Files, Maker, outputs_of, recipe_of

PATH = Path(__file__).parent / "digests.json"
COMMAND = "make digests"


class Record(NamedTuple):
    """What one version makes of the documents."""

    version: str
    engine_version: str
    outputs: Mapping[str, Files]


def load(path: Path) -> dict[str, Record]:
    return {name: Record(**record) for name, record in json.loads(path.read_text(encoding="utf-8")).items()}


def save(records: Mapping[str, Record], path: Path) -> None:
    told = {name: record._asdict() for name, record in sorted(records.items())}
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def record_of(made_by: Maker) -> Record:
    """Raises EngineUnavailable."""
    recipe = recipe_of(made_by)
    return Record(recipe.version, recipe.engine_version, outputs_of(made_by))


def flaw_in(name: str, kept: Record | None, found: Record) -> str | None:
    """What is wrong and what to do; None where all is as it was."""
    if kept == found:
        return None
    if may_be_kept(kept, found):
        return f"{PATH.name} is not about this version of {name} and these documents: run {COMMAND}, and commit it"
    changed = "\n".join(f"  {line}" for line in _changed(kept.outputs if kept else {}, found.outputs))
    return (
        f"{name} makes something else of the same documents, and has the version that it had ({found.version}, engine "
        f"{found.engine_version}):\n{changed}\n"
        "Results are known by their version, so those that people have would count as current. If it is meant:\n"
        "  1. add a version to versions.py beside the processor, and say there what it changes in results: to the\n"
        "     engine's where one engine alone changed, or else to the processor's\n"
        "  2. say the same in CHANGELOG.md\n"
        f"  3. run {COMMAND}, and commit digests.json with the change"
    )


def may_be_kept(kept: Record | None, found: Record) -> bool:
    """Other outputs of the same documents take another version."""
    if kept is None or (kept.version, kept.engine_version) != (found.version, found.engine_version):
        return True
    return not any(_changed(kept.outputs, found.outputs))


def _changed(kept: Mapping[str, Files], found: Mapping[str, Files]) -> Iterator[str]:
    """Of the documents that both have, the files that differ."""
    for document in sorted(kept.keys() & found.keys()):
        before, after = kept[document], found[document]
        if files := sorted(name for name in {*before, *after} if before.get(name) != after.get(name)):
            yield f"{document}: {', '.join(files)}"
