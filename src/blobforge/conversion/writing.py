"""Writes a result into the output folder, and never over something that a person has changed."""

import hashlib
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from blobforge.conversion.links import relink
from blobforge.conversion.tree import assets_folder
from blobforge.domain.errors import OutputEdited, ResultDamaged
from blobforge.ports.output_ledger import Output, WrittenFile
from blobforge.worker.workspace import writing_failed

DOCUMENT = "document.md"
_ASSETS = "assets/"


def read_result(archive: zipfile.ZipFile, markdown_path: str) -> dict[str, bytes]:
    """The files of a result by their path below the output's folder, the Markdown first. Raises ResultDamaged."""
    folder = Path(assets_folder(markdown_path)).name
    try:
        names = [_asset_name(name) for name in archive.namelist() if name.startswith(_ASSETS) and name != _ASSETS]
        text = archive.read(DOCUMENT).decode("utf-8")
        files = {Path(markdown_path).name: relink(text, names=set(names), folder=folder).encode("utf-8")}
        files.update((f"{folder}/{name}", archive.read(_ASSETS + name)) for name in names)
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        raise ResultDamaged(f"the result of {markdown_path} is damaged: {error}") from error
    return files


def write_files(
    markdown_path: str, files: dict[str, bytes], before: Output | None, *, force: bool
) -> list[WrittenFile]:
    """Writes what is new, drops what we wrote and is not there any more. Raises OutputEdited, OutputError.

    All is looked at before anything is written, so that a document is replaced whole or not at all.
    """
    parent = Path(markdown_path).parent
    ours = {file.name: file for file in before.files} if before is not None else {}
    with _writing(Path(markdown_path)):
        unchanged = {name: _is_the_same(parent / name, content) for name, content in files.items()}
        if not force:
            for name in [*files, *ours]:
                if not unchanged.get(name):
                    _require_ours(parent / name, ours.get(name))
        written = [_write(parent, name, content, unchanged[name]) for name, content in reversed(files.items())]
        for name in ours.keys() - files.keys():
            (parent / name).unlink(missing_ok=True)
        _drop_if_empty(Path(assets_folder(markdown_path)))
    return list(reversed(written))


def is_present(output: Output) -> bool:
    """Whether every file of it is there, edited or not."""
    # On the hot path of a run with nothing to do: no Path is made, and most documents have only this one file.
    if not os.path.exists(output.path):  # noqa: PTH110
        return False
    folder = output.path.rpartition("/")[0]
    return all(os.path.exists(f"{folder}/{file.name}") for file in output.files[1:])  # noqa: PTH110


def _asset_name(name: str) -> str:
    asset = name.removeprefix(_ASSETS)
    if "/" in asset or asset in (".", "..") or "\\" in asset or "\0" in asset:
        raise ValueError(f"the archive holds a file with the unsafe name {name!r}")
    return asset


def _is_the_same(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except (FileNotFoundError, NotADirectoryError):
        return False


def _require_ours(path: Path, written: WrittenFile | None) -> None:
    """Raises OutputEdited unless the path is free, or holds what we wrote there."""
    try:
        facts = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return
    if written is None:
        raise OutputEdited(f"{path} is there already and BlobForge did not write it; move it, or use --force")
    if (facts.st_size, facts.st_mtime_ns) == (written.size, written.mtime_ns):
        return
    if hashlib.sha256(path.read_bytes()).hexdigest() != written.checksum:
        raise OutputEdited(f"{path} was edited; it stays as it is. Use --force to overwrite it")


def _write(parent: Path, name: str, content: bytes, unchanged: bool) -> WrittenFile:  # noqa: FBT001 - local to this file
    path = parent / name
    if not unchanged:
        # A short name of its own, because the real one may already be as long as a name can be.
        arriving = path.parent / f".blobforge-{token_hex(8)}"
        try:
            try:
                arriving.write_bytes(content)
            except FileNotFoundError:
                path.parent.mkdir(parents=True, exist_ok=True)
                arriving.write_bytes(content)
            arriving.replace(path)
        finally:
            arriving.unlink(missing_ok=True)
    facts = path.stat()
    return WrittenFile(name, facts.st_size, facts.st_mtime_ns, hashlib.sha256(content).hexdigest())


def _drop_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        # It is not there, or it holds something.
        return


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise writing_failed(error, path) from error
