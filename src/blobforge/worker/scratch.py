"""The one folder that a child can write to. What it works on is brought there, and taken away when it has answered.

What a child may touch is settled when it starts, and it serves many documents: so it gets a folder of its own, and no
child sees the document of another. A document that several children work on lies where none of them gets; each has
links to what is there, and what it made is moved out by the parent.
"""

import errno
import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from blobforge.domain.errors import BlobForgeError, ChildMisbehaved
from blobforge.ports.processor import Task
from blobforge.worker.messages import Operation, Produced, Reply, Request
from blobforge.worker.workspace import remove_entry, writing_failed

_IN_THE_WAY = (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR)
_NO_LINKS = (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP)


class ScratchFolder:
    """Of one child. `lend` and `take_back` come in pairs, on one thread."""

    def __init__(self, root: Path) -> None:
        """Raises DiskFull, OutputUnwritable."""
        try:
            root.mkdir(parents=True, exist_ok=True)
            self.path = Path(tempfile.mkdtemp(prefix="child-", dir=root))
        except OSError as error:
            raise writing_failed(error, root) from error

    def lend(self, request: Request) -> Request:
        """The same request, for the child: with its workspace where the child gets at it.

        Raises ChildMisbehaved, DiskFull, OutputUnwritable.
        """
        workspace = request.task.workspace
        inside = self._place_of(workspace)
        try:
            if _shares_its_workspace(request):
                _link_files(workspace, inside)
            else:
                workspace.rename(inside)
        except OSError as error:
            raise _not_lent(error, inside) from error
        return request._replace(task=_moved(request.task, inside))

    def take_back(self, request: Request) -> None:
        """`request` as it was before it was lent. From here on the child has no way to what it worked on, but by files
        that it still holds open. Raises ChildMisbehaved, DiskFull, OutputUnwritable."""
        workspace = request.task.workspace
        is_shared = _shares_its_workspace(request)
        # First out of the child's reach, and then looked at.
        outside = workspace.with_name(f"{workspace.name}.{self.path.name}") if is_shared else workspace
        try:
            self._move_out(workspace, outside)
            if is_shared:
                _move_files(outside, workspace)
                shutil.rmtree(outside, ignore_errors=True)
        except OSError as error:
            raise writing_failed(error, workspace) from error
        finally:
            self._sweep()

    def outside(self, reply: Reply, request: Request) -> Reply:
        """The same reply, with its archive where it is after it was taken back."""
        inside = self._place_of(request.task.workspace)
        if not isinstance(reply.answer, Produced) or not reply.answer.product.archive.is_relative_to(inside):
            return reply
        product = reply.answer.product
        archive = request.task.workspace / product.archive.relative_to(inside)
        return reply._replace(answer=reply.answer._replace(product=replace(product, archive=archive)))

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _place_of(self, workspace: Path) -> Path:
        return self.path / workspace.name

    def _move_out(self, workspace: Path, outside: Path) -> None:
        """Raises ChildMisbehaved where there is nothing, or no folder."""
        try:
            self._place_of(workspace).rename(outside)
        except FileNotFoundError:
            pass
        else:
            if outside.is_dir():
                return
            outside.unlink()
        workspace.mkdir(exist_ok=True)
        raise ChildMisbehaved("the child removed its workspace")

    def _sweep(self) -> None:
        """What it left beside its workspace is nobody's, and would count against the next document."""
        with os.scandir(self.path) as entries:
            for entry in entries:
                remove_entry(Path(entry.path))


def _shares_its_workspace(request: Request) -> bool:
    """Slices run in several children at once; everything else has the document for itself."""
    return request.operation is Operation.RUN


def _moved(task: Task, inside: Path) -> Task:
    source = task.source
    if source.is_relative_to(task.workspace):
        source = inside / source.relative_to(task.workspace)
    return replace(task, workspace=inside, source=source)


def _not_lent(error: OSError, inside: Path) -> BlobForgeError:
    if error.errno in _IN_THE_WAY:
        return ChildMisbehaved("the child put something in the place of its next workspace")
    return writing_failed(error, inside)


def _link_files(source: Path, target: Path) -> None:
    target.mkdir()
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _link_files(Path(entry.path), target / entry.name)
            elif entry.is_file(follow_symlinks=False):
                _link(entry.path, target / entry.name)


def _link(source: str, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        shutil.copyfile(source, target)


def _move_files(source: Path, target: Path) -> None:
    """What is new or was changed; a file that is the same on both sides is one with two names."""
    target.mkdir(exist_ok=True)
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _move_files(Path(entry.path), target / entry.name)
            elif entry.is_file(follow_symlinks=False):
                # Of two names for one file, the system leaves both where they are.
                os.replace(entry.path, target / entry.name)  # noqa: PTH105 - once for every file of a document
