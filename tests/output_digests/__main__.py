"""Writes the digests of new versions; refuses where outputs have changed and the version has not."""

import sys
from pathlib import Path

from tests.output_digests import ledger
from tests.output_digests.outputs import DOCUMENTS, everywhere, maker

from blobforge.domain.errors import EngineUnavailable


def main(path: Path) -> int:
    records = ledger.load(path)
    names = {*records, *(made_by.name for processor in DOCUMENTS for made_by in everywhere(processor))}
    flaws = [flaw for name in sorted(names) if (flaw := _renewed(records, name)) is not None]
    ledger.save(records, path)
    for flaw in flaws:
        print(flaw, file=sys.stderr)  # noqa: T201 - a command
    return 1 if flaws else 0


def _renewed(records: dict[str, ledger.Record], name: str) -> str | None:
    try:
        found = ledger.record_of(maker(name))
    except EngineUnavailable as error:
        return f"{name}: not written, for {error}"
    if ledger.may_be_kept(records.get(name), found):
        records[name] = found
        return None
    return ledger.flaw_in(name, records.get(name), found)


if __name__ == "__main__":
    sys.exit(main(ledger.PATH))
