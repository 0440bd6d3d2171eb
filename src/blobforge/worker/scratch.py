"""The one folder that a sandboxed child can write to. Workspaces are moved in for a request, and out after the reply.

A sandbox is fixed when a child starts, and a child serves many documents: so each child has a folder of its own, and
none sees the document of another. A workspace that several children share stays out of their reach; each child gets
hard links to its files, and the parent moves out what the child made.
"""

import errno
import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from blobforge import untrusted_tree
from blobforge.domain.errors import BlobForgeError, ChildMisbehaved
from blobforge.ports.processor import Task
from blobforge.worker.messages import Operation, Produced, Reply, Request
from blobforge.worker.workspace import writing_failed

_IN_THE_WAY = (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR)
_NO_LINKS = (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP)


class ScratchFolder:
    """Of one child. Each `move_in` is followed by a `move_out`, on the same thread."""

    def __init__(self, root: Path) -> None:
        """Raises DiskFull, OutputUnwritable."""
        try:
            root.mkdir(parents=True, exist_ok=True)
            self.path = Path(tempfile.mkdtemp(prefix="child-", dir=root))
        except OSError as error:
            raise writing_failed(error, root) from error

    def move_in(self, request: Request) -> Request:
        """The request as the child gets it: with its workspace below this folder.

        Raises ChildMisbehaved, OutputLimit, DiskFull, OutputUnwritable.
        """
        workspace = request.task.workspace
        inside = self._place_of(workspace)
        try:
            if _shares_its_workspace(request):
                _link_files(workspace, inside)
            else:
                workspace.rename(inside)
        except OSError as error:
            raise _move_in_failed(error, inside) from error
        return request._replace(task=_moved(request.task, inside))

    def move_out(self, request: Request) -> None:
        """`request` as it was before `move_in`. From here on the child reaches the workspace only through files that it
        still has open. Raises ChildMisbehaved, OutputLimit, DiskFull, OutputUnwritable."""
        workspace = request.task.workspace
        is_shared = _shares_its_workspace(request)
        # First moved out of the child's reach, and then read.
        outside = workspace.with_name(f"{workspace.name}.{self.path.name}") if is_shared else workspace
        try:
            self._rename_out(workspace, outside)
            if is_shared:
                _move_files(outside, workspace)
        except OSError as error:
            raise _moving_failed(error, workspace) from error
        finally:
            if is_shared:
                untrusted_tree.remove(outside)
            self._sweep()

    def outside(self, reply: Reply, request: Request) -> Reply:
        """The same reply, with the path of its archive after `move_out`."""
        inside = self._place_of(request.task.workspace)
        if not isinstance(reply.answer, Produced) or not reply.answer.product.archive.is_relative_to(inside):
            return reply
        product = reply.answer.product
        archive = request.task.workspace / product.archive.relative_to(inside)
        return reply._replace(answer=reply.answer._replace(product=replace(product, archive=archive)))

    def remove(self) -> None:
        untrusted_tree.remove(self.path)

    def _place_of(self, workspace: Path) -> Path:
        return self.path / workspace.name

    def _rename_out(self, workspace: Path, outside: Path) -> None:
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
        """Removes files beside the workspace: they would count against the next document."""
        with os.scandir(self.path) as entries:
            for entry in entries:
                untrusted_tree.remove(Path(entry.path))


def _shares_its_workspace(request: Request) -> bool:
    """Slices run in several children at once; all other steps have the document to themselves."""
    return request.operation is Operation.RUN


def _moved(task: Task, inside: Path) -> Task:
    source = task.source
    if source.is_relative_to(task.workspace):
        source = inside / source.relative_to(task.workspace)
    return replace(task, workspace=inside, source=source)


def _move_in_failed(error: OSError, inside: Path) -> BlobForgeError:
    if error.errno in _IN_THE_WAY:
        return ChildMisbehaved("the child put something in the place of its next workspace")
    return _moving_failed(error, inside)


def _moving_failed(error: OSError, folder: Path) -> BlobForgeError:
    if error.errno == errno.ENAMETOOLONG:
        return ChildMisbehaved("the child gave its files names that are too long together")
    return writing_failed(error, folder)


def _link_files(source: Path, target: Path) -> None:
    target.mkdir()
    for found in untrusted_tree.entries_below(source):
        if found.entry.is_dir(follow_symlinks=False):
            (target / found.place).mkdir()
        elif found.entry.is_file(follow_symlinks=False):
            _link(found, target / found.place)


def _link(found: untrusted_tree.FoundEntry, target: Path) -> None:
    try:
        os.link(found.entry.name, target, src_dir_fd=found.folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _copy(found, target)


def _copy(found: untrusted_tree.FoundEntry, target: Path) -> None:
    file = os.open(found.entry.name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=found.folder)
    with os.fdopen(file, "rb") as source, target.open("xb") as copy:
        shutil.copyfileobj(source, copy)


def _move_files(source: Path, target: Path) -> None:
    """Files that are new or changed; an unchanged file is a hard link to the same inode."""
    for found in untrusted_tree.entries_below(source):
        if found.entry.is_dir(follow_symlinks=False):
            (target / found.place).mkdir(exist_ok=True)
        elif found.entry.is_file(follow_symlinks=False):
            # A rename between two links to one inode does nothing.
            os.replace(found.entry.name, target / found.place, src_dir_fd=found.folder)
