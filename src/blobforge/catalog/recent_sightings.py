"""Which sightings this machine has recorded lately: asking the manifest takes longer than walking a library."""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from secrets import token_hex

from blobforge import durable_files
from blobforge.domain.file_rights import FileRights
from blobforge.domain.loose_json import json_in, number_in, object_in
from blobforge.domain.manifest import Sighting
from blobforge.ports.manifest import SightingBook

TRUSTED_SECONDS = 24 * 3600
"""After this, all is recorded again: the manifest may have been lost, or replaced by an older one."""

MANY = 1_000
"""Fewer sightings are recorded without a look at this cache."""

MOST_KEPT = 1_000


class RecentSightings:
    """A SightingBook around another one: it drops what was recorded there, unchanged, within the last day.

    `address` says which manifest it is. The file is a cache: whoever deletes it loses time.
    """

    def __init__(
        self,
        book: SightingBook,
        file: Path,
        *,
        address: str,
        clock: Callable[[], float] = time.time,
        rights: FileRights = FileRights.PRIVATE,
    ) -> None:
        self._book = book
        self._rights = rights
        self._file = file
        self._address = address
        self._clock = clock
        self._pending: list[str] = []
        self._recorded = self._read()

    def has_heard(self, sightings: Sequence[Sighting]) -> bool:
        return len(sightings) >= MANY and self._was_recorded(self._digest(sightings))

    def record(self, sightings: Sequence[Sighting]) -> None:
        if len(sightings) >= MANY:
            digest = self._digest(sightings)
            if self._was_recorded(digest):
                return
            self._pending.append(digest)
        self._book.record(sightings)

    def flush(self) -> None:
        self._book.flush()
        self._store()

    def finish(self) -> None:
        self._book.finish()
        self._store()

    def _was_recorded(self, digest: str) -> bool:
        return 0 <= self._clock() - self._recorded.get(digest, 0) < TRUSTED_SECONDS

    def _digest(self, sightings: Sequence[Sighting]) -> str:
        """Of all but the times, which a manifest keeps of the first sighting alone."""
        words = [self._address]
        for (source, tags), seen in groupby(sightings, key=itemgetter(4, 3)):
            words += [source, *tags, "", *chain.from_iterable(map(itemgetter(0, 1), seen)), ""]
        # A null character is in no path.
        return hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()

    def _store(self) -> None:
        if not self._pending:
            return
        now = self._clock()
        self._recorded |= dict.fromkeys(self._pending, now)
        self._pending = []
        newest = sorted(self._recorded.items(), key=lambda item: item[1])[-MOST_KEPT:]
        arriving = self._file.with_name(f"{self._file.name}.{token_hex(4)}")
        with suppress(OSError):
            arriving.write_text(json.dumps(dict(newest)))
            durable_files.give_rights(arriving, self._rights)
            arriving.replace(self._file)

    def _read(self) -> dict[str, float]:
        try:
            told = object_in(json_in(self._file.read_bytes()))
            return {digest: at for digest, said in told.items() if (at := number_in(said)) is not None}
        except OSError:
            return {}
