"""The folder that a store lies in: made once, and from then on either this very folder or an error.

A disk that is not mounted leaves an empty folder in its place. Nothing may be written there, since it would be hidden
when the disk is back, and what is missing there is not lost.
"""

import errno
import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from blobforge import durable_files
from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.file_rights import FileRights

INCOMING = ".incoming"
_TOKEN = ".token"  # noqa: S105 - of the folder
"""Random, and as old as the folder: another folder in its place has another one."""


class StoreFolder:
    def __init__(self, root: Path, *, rights: FileRights, durable: bool = True) -> None:
        """Makes nothing: who only looks leaves no trace. Raises OSError, where a file lies there too."""
        if root.exists() and not root.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(root))
        self.root = root
        self.incoming = root / INCOMING
        self._rights = rights
        self._durable = durable
        self._was_there = False
        self._token: str | None = None
        self.is_gone()

    def is_gone(self) -> bool:
        """Whether it was there, and is not any more. One that was never there is an empty store. Raises OSError."""
        if not self._was_there and self.incoming.is_dir():
            self._was_there = True
            # An older release made none, and who may only read cannot.
            with suppress(OSError):
                self._token = self._read() or self._make_token()
        if self._token is None:
            return self._was_there and not self.incoming.is_dir()
        return self._read() != self._token

    def require(self) -> None:
        """Before something is written: makes it where it never was. Raises StoreUnavailable, OSError."""
        if self.is_gone():
            raise self.unavailable()
        if not self._was_there:
            try:
                durable_files.make_folders(self.incoming, rights=self._rights, durable=self._durable)
            except OSError as error:
                why = durable_files.why_not_made(error, self.incoming)
                raise StoreUnavailable(f"the store's folder {self.root} {why}") from error
            self._was_there = True
            self._token = self._read() or self._make_token()

    def unavailable(self) -> StoreUnavailable:
        """What is said where it is gone."""
        if not self.root.exists():
            return StoreUnavailable(f"the store's folder {self.root} is not there")
        return StoreUnavailable(
            f"the store's folder {self.root} is not there: what lies in its place is another one; if its disk is not "
            "mounted, mount it"
        )

    def _read(self) -> str | None:
        try:
            return (self.incoming / _TOKEN).read_text(encoding="ascii")
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _make_token(self) -> str:
        """Of several that make one at once the first wins."""
        own = self.incoming / f"{_TOKEN}-{token_hex(8)}"
        try:
            own.write_text(token_hex(16), encoding="ascii")
            durable_files.give_rights(own, self._rights)
            if self._durable:
                durable_files.sync_file(own)
            with suppress(FileExistsError):
                os.link(own, self.incoming / _TOKEN)
            return (self.incoming / _TOKEN).read_text(encoding="ascii")
        finally:
            own.unlink(missing_ok=True)


def is_leftover(name: str) -> bool:
    """Whether a file of `incoming` is what a writer left there."""
    return not name.startswith(_TOKEN)
