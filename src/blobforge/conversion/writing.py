"""Writes a result into the output folder, and never over something that a person has changed."""

import hashlib
import os
import stat as modes
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from blobforge.conversion.archive_members import (
    EXPLANATION,
    beside_markdown,
    document_name,
    file_names,
    require_honest_size,
    text_in,
)
from blobforge.conversion.links import relink
from blobforge.conversion.tree import assets_folder
from blobforge.domain.errors import OutputEdited, OutputUnwritable, ResultDamaged
from blobforge.ports.output_ledger import Output, WrittenFile
from blobforge.worker.results import DAMAGE
from blobforge.worker.workspace import writing_failed

SHOWN = 5
_CHUNK = 1 << 20


class NewFile(NamedTuple):
    """A file of a result. `name` is relative to the folder of the Markdown file; `chunks` gives its bytes anew."""

    name: str
    size: int
    chunks: Callable[[], Iterator[bytes]]


def require_writable(folder: Path) -> None:
    """Makes the folder and probes it, so that an error shows before any work. Raises OutputUnwritable, DiskFull."""
    with writing(folder):
        _make_folder(folder)
        probe = folder / _arriving_name()
        probe.touch()
        probe.unlink()


def read_result(archive: zipfile.ZipFile, markdown_path: str) -> list[NewFile]:
    """The files of a result, the Markdown first; the archive stays open until they are written. Raises ResultDamaged.

    Only the Markdown is held in memory: pictures may be larger than that. Whatever another program put into the archive
    is written with the pictures: nothing is left out in silence.
    """
    folder = Path(assets_folder(markdown_path)).name
    with _reading(markdown_path):
        document = document_name(archive)
        entries = beside_markdown(archive, document or "")
        names = file_names(entries)
        if document is None:
            raise _without_markdown(archive, markdown_path)
        text = relink(text_in(archive, document).decode("utf-8"), targets=names, folder=folder).encode("utf-8")
        beside = [entry for entry in archive.infolist() if entry.filename == EXPLANATION]
        for entry in beside:
            require_honest_size(entry)
    path = Path(markdown_path)
    markdown = NewFile(path.name, len(text), lambda: iter([text]))
    return [
        markdown,
        *(_file(archive, f"{folder}/{names[link]}", entry) for link, entry in entries.items()),
        *(_file(archive, f"{path.stem}.{EXPLANATION}", entry) for entry in beside),
    ]


def _without_markdown(archive: zipfile.ZipFile, markdown_path: str) -> ResultDamaged:
    held = ", ".join(archive.namelist()[:SHOWN]) or "nothing"
    return ResultDamaged(
        f"the stored result for {markdown_path} has no Markdown file, or several and no document.md (it holds "
        f"{held}); 'blobforge download' fetches it as it is"
    )


def write_files(
    markdown_path: str, files: Sequence[NewFile], before: Output | None, *, force: bool
) -> list[WrittenFile]:
    """Writes what is new, drops what we wrote and is not there any more. Raises OutputError.

    Everything is looked at, and lies beside its place, before the first file is replaced: so a full disk or a damaged
    result leaves the document as it was. The Markdown comes last, when its pictures are there.
    """
    parent = Path(markdown_path).parent
    ours = {file.name: file for file in before.files} if before is not None else {}
    stale = _stale(files, before)
    _require_own_folder(markdown_path)
    with writing(Path(markdown_path)), ExitStack() as leftovers:
        leftovers.callback(drop_if_empty, Path(assets_folder(markdown_path)))
        _require_stale_unedited(parent, stale, force=force)
        new = [_ready(parent, file, ours.get(file.name), force=force, leftovers=leftovers) for file in files]
        for file in reversed(new):
            file.put_in_place()
        for written in stale:
            if is_as_written(parent / written.name, written):
                (parent / written.name).unlink(missing_ok=True)
    return [file.written for file in new]


def write_new_files(markdown_path: str, files: Sequence[NewFile]) -> None:
    """For those who keep no ledger: a file that is there and differs stays, and then nothing is written.

    That holds for the beginning of a file as well: without a record, it is as likely what a person shortened as what
    a power cut left. Raises OutputError.
    """
    parent = Path(markdown_path).parent
    with writing(Path(markdown_path)):
        for file in files:
            _require_same(parent / file.name, file)
    write_files(markdown_path, files, None, force=False)


def require_writing(markdown_path: str, files: Sequence[NewFile], before: Output | None, *, force: bool) -> None:
    """Looks at what write_files would look at, and writes nothing. Raises OutputError."""
    parent = Path(markdown_path).parent
    ours = {file.name: file for file in before.files} if before is not None else {}
    _require_own_folder(markdown_path)
    with writing(Path(markdown_path)):
        _require_stale_unedited(parent, _stale(files, before), force=force)
        for file in files:
            _as_it_is(parent / file.name, file, ours.get(file.name), force=force)


def is_present(output: Output) -> bool:
    """Whether every file of it is there, edited or not, and none is what a power cut left of it."""
    folder = os.path.dirname(output.path)  # noqa: PTH120 - on the hot path of a run with nothing to do
    try:
        return not any(_is_torn(os.stat(f"{folder}/{file.name}"), file) for file in output.files)  # noqa: PTH116
    except OSError:
        return False


class _ReadyFile(NamedTuple):
    """A file that is ready to be put in its place; without `arriving` it is there already."""

    path: Path
    written: WrittenFile
    arriving: Path | None

    def put_in_place(self) -> None:
        if self.arriving is not None:
            self.arriving.replace(self.path)


def _file(archive: zipfile.ZipFile, name: str, entry: zipfile.ZipInfo) -> NewFile:
    def chunks() -> Iterator[bytes]:
        with _reading(name), archive.open(entry) as content:
            while chunk := content.read(_CHUNK):
                yield chunk

    return NewFile(name, entry.file_size, chunks)


def _stale(files: Sequence[NewFile], before: Output | None) -> list[WrittenFile]:
    """What we wrote there and is not part of the result any more."""
    names = {file.name for file in files}
    return [written for written in (before.files if before is not None else ()) if written.name not in names]


def _require_own_folder(markdown_path: str) -> None:
    """Whoever made a link of the pictures' folder decides where we write: it may lead anywhere."""
    folder = assets_folder(markdown_path)
    if os.path.islink(folder):  # noqa: PTH114 - a name that is too long is no link
        raise OutputUnwritable(f"{folder} is a link, and nothing is written where it leads; remove it")


def _require_stale_unedited(parent: Path, stale: Sequence[WrittenFile], *, force: bool) -> None:
    if not force:
        for written in stale:
            _require_unedited(parent / written.name, written)


def _as_it_is(path: Path, file: NewFile, ours: WrittenFile | None, *, force: bool) -> WrittenFile | None:
    """The file that is there already and the same; None when it is to be written. Raises OutputError."""
    facts = _facts(path)
    if facts is None:
        return None
    if modes.S_ISDIR(facts.st_mode):
        raise OutputUnwritable(f"{path} cannot be written: a folder is in its place")
    if facts.st_size == file.size and (checksum := _checksum_if_the_same(path, file)) is not None:
        return WrittenFile(file.name, facts.st_size, facts.st_mtime_ns, checksum)
    if not force and not (facts.st_size < file.size and _is_beginning(path, file)):
        _require_ours(path, ours)
    return None


def _require_same(path: Path, file: NewFile) -> None:
    facts = _facts(path)
    if facts is None or modes.S_ISDIR(facts.st_mode):
        return  # free, or refused by write_files with its reason
    if facts.st_size != file.size or _checksum_if_the_same(path, file) is None:
        raise OutputEdited(f"{path} is there already and differs")


def _ready(parent: Path, file: NewFile, ours: WrittenFile | None, *, force: bool, leftovers: ExitStack) -> _ReadyFile:
    path = parent / file.name
    there = _as_it_is(path, file, ours, force=force)
    if there is not None:
        return _ReadyFile(path, there, None)
    arriving = path.parent / _arriving_name()
    leftovers.callback(arriving.unlink, missing_ok=True)
    checksum = _write(arriving, file)
    # A rename keeps the time, so this is what the file will be in its place.
    facts = arriving.stat()
    return _ReadyFile(path, WrittenFile(file.name, facts.st_size, facts.st_mtime_ns, checksum), arriving)


def _write(path: Path, file: NewFile) -> str:
    digest = hashlib.sha256()
    try:
        target = path.open("xb")
    except FileNotFoundError:
        _make_folder(path.parent)
        target = path.open("xb")
    with target:
        for chunk in file.chunks():
            digest.update(chunk)
            target.write(chunk)
    return digest.hexdigest()


def _checksum_if_the_same(path: Path, file: NewFile) -> str | None:
    digest = hashlib.sha256()
    with path.open("rb") as there:
        for chunk in file.chunks():
            if there.read(len(chunk)) != chunk:
                return None
            digest.update(chunk)
    return digest.hexdigest()


def _is_torn(facts: os.stat_result, written: WrittenFile) -> bool:
    """Shorter, and no person did it: an edit sets another time, and nobody means a file to be empty."""
    return facts.st_size < written.size and (facts.st_size == 0 or facts.st_mtime_ns == written.mtime_ns)


def _is_beginning(path: Path, file: NewFile) -> bool:
    """What a power cut left of a file before anything was recorded: with the whole file, nothing of it is lost."""
    with path.open("rb") as there:
        for chunk in file.chunks():
            part = there.read(len(chunk))
            if not chunk.startswith(part):
                return False
            if len(part) < len(chunk):
                return True
        return not there.read(1)


def _require_ours(path: Path, written: WrittenFile | None) -> None:
    if written is None:
        raise OutputEdited(
            f"{path} is there already, and this home has no record of writing it; move it, or use --force"
        )
    _require_unedited(path, written)


def _require_unedited(path: Path, written: WrittenFile) -> None:
    if not is_as_written(path, written):
        raise OutputEdited(f"{path} was edited; it stays as it is. Use --force to overwrite it")


def is_as_written(path: Path, written: WrittenFile) -> bool:
    """Whether the path is free, or holds what we wrote there; a time alone that differs is no edit."""
    facts = _facts(path)
    if facts is None or (facts.st_size, facts.st_mtime_ns) == (written.size, written.mtime_ns):
        return True
    if _is_torn(facts, written):
        return True
    if facts.st_size != written.size:
        return False
    with path.open("rb") as there:
        return hashlib.file_digest(there, "sha256").hexdigest() == written.checksum


def _facts(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _make_folder(folder: Path) -> None:
    """With all above it, one by one: they may be nested deeper than mkdir, which calls itself, can go."""
    missing: list[Path] = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir(exist_ok=True)


def _arriving_name() -> str:
    # A short name of its own, because the real one may already be as long as a name can be.
    return f".blobforge-{token_hex(8)}"


def drop_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        # It is not there, or it holds something.
        return


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raises OutputError for what the system refuses."""
    try:
        yield
    except OSError as error:
        raise writing_failed(error, path) from error


@contextmanager
def _reading(name: str) -> Iterator[None]:
    try:
        yield
    except DAMAGE as error:
        raise ResultDamaged(f"the stored result for {name} is damaged: {error}; convert it again") from error
