"""The two results of a report, from the zip that its run made."""

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from psycopg.types.json import Jsonb

from blobforge.domain.errors import ResultDamaged

RAW, NORMALIZED = "raw.json", "normalized.json"
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, LookupError, RuntimeError)


class Results(NamedTuple):
    """As the columns of the table take them."""

    raw: Jsonb
    normalized: Jsonb


def results_in(archive: Path | None) -> Results:
    """Raises ResultDamaged."""
    if archive is None:
        raise ResultDamaged("the run of this job left no result")
    try:
        with zipfile.ZipFile(archive) as opened:
            raw, normalized = (storable(json.loads(opened.read(name))) for name in (RAW, NORMALIZED))
    except _DAMAGE as error:
        raise ResultDamaged(f"the result of this job cannot be read: {type(error).__name__}") from error
    return Results(Jsonb(raw, dumps=_dumped), Jsonb(normalized, dumps=_dumped))


def storable(value: Any) -> Any:
    """Without what jsonb refuses and a PDF may hold: null characters and lone surrogates."""
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [storable(entry) for entry in value]
    if isinstance(value, dict):
        return {storable(name): storable(entry) for name, entry in value.items()}
    return value


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
