"""The folder of one child: what is brought there, and what comes back."""

import errno
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from blobforge.domain.errors import ChildMisbehaved, DiskFull, OutputLimit
from blobforge.ports.processor import Product, Slice, Task
from blobforge.testing.builders import hash_of
from blobforge.worker.messages import Operation, Produced, Reply, Request, SliceDone
from blobforge.worker.scratch import ScratchFolder


@pytest.fixture
def task(tmp_path: Path) -> Task:
    workspace = tmp_path / "documents" / "7"
    workspace.mkdir(parents=True)
    source = workspace / "source.pdf"
    source.write_bytes(b"a document")
    return Task(source=source, source_name="a.pdf", source_hash=hash_of("a"), workspace=workspace)


@pytest.fixture
def scratch(tmp_path: Path) -> ScratchFolder:
    return ScratchFolder(tmp_path / "children")


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def nested(folder: Path, name: str, depth: int) -> None:
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=here)
        here, before = os.open(name, os.O_RDONLY, dir_fd=here), here
        os.close(before)
    os.close(here)


def test_two_children_have_two_folders(tmp_path: Path) -> None:
    assert ScratchFolder(tmp_path).path != ScratchFolder(tmp_path).path


@pytest.mark.parametrize("operation", list(Operation))
def test_a_document_is_brought_to_the_child_and_taken_back(
    operation: Operation, scratch: ScratchFolder, task: Task
) -> None:
    request = Request(operation, task, part=Slice(1, 1))

    lent = scratch.move_in(request).task
    assert lent.workspace.is_relative_to(scratch.path)
    assert lent.source.read_bytes() == b"a document"
    (lent.workspace / "images").mkdir()
    (lent.workspace / "images" / "1.png").write_bytes(b"png")
    scratch.move_out(request)

    assert names(task.workspace) == ["images", "images/1.png", "source.pdf"]
    assert names(scratch.path) == []
    assert names(task.workspace.parent) == ["7", *(f"7/{name}" for name in names(task.workspace))]


def test_a_source_elsewhere_is_read_where_it_is(scratch: ScratchFolder, task: Task, tmp_path: Path) -> None:
    task = replace(task, source=tmp_path / "elsewhere.pdf")

    assert scratch.move_in(Request(Operation.CONVERT, task)).task.source == task.source


def test_slices_in_two_children_come_together(tmp_path: Path, task: Task) -> None:
    children = [ScratchFolder(tmp_path / "children") for _ in range(2)]
    requests = [Request(Operation.RUN, task, part=Slice(number, number)) for number in (1, 2)]
    (task.workspace / "notes").write_text("of the plan")

    lent = [child.move_in(request).task for child, request in zip(children, requests, strict=True)]
    for number, own in enumerate(lent):
        (own.workspace / f"part-{number}").write_text("made")
    assert [names(own.workspace) for own in lent] == [
        ["notes", "part-0", "source.pdf"],
        ["notes", "part-1", "source.pdf"],
    ]
    for child, request in zip(children, requests, strict=True):
        child.move_out(request)

    assert names(task.workspace) == ["notes", "part-0", "part-1", "source.pdf"]


def test_where_there_are_no_links_a_slice_gets_copies(
    scratch: ScratchFolder, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_link(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", no_link)

    lent = scratch.move_in(Request(Operation.RUN, task, part=Slice(1, 1))).task

    assert lent.source.read_bytes() == b"a document"


def test_what_was_left_beside_the_workspace_is_gone(scratch: ScratchFolder, task: Task) -> None:
    request = Request(Operation.CONVERT, task)
    scratch.move_in(request)
    (scratch.path / "astray").mkdir()
    (scratch.path / "astray" / "file").touch()

    scratch.move_out(request)

    assert names(scratch.path) == []


@pytest.mark.parametrize("operation", list(Operation))
@pytest.mark.parametrize("instead", ["nothing", "a file"])
def test_a_child_that_takes_its_workspace_away_misbehaved(
    operation: Operation, instead: str, scratch: ScratchFolder, task: Task
) -> None:
    request = Request(operation, task, part=Slice(1, 1))
    lent = scratch.move_in(request).task
    lent.workspace.rename(scratch.path / "hidden")
    if instead == "a file":
        lent.workspace.touch()

    with pytest.raises(ChildMisbehaved, match="removed its workspace"):
        scratch.move_out(request)

    assert task.workspace.is_dir()
    assert names(scratch.path) == []
    assert [path.name for path in task.workspace.parent.iterdir()] == ["7"]


@pytest.mark.parametrize("operation", list(Operation))
def test_what_lies_in_the_place_of_the_next_workspace_is_the_childs_fault(
    operation: Operation, scratch: ScratchFolder, task: Task
) -> None:
    (scratch.path / "7").mkdir()
    (scratch.path / "7" / "trap").touch()

    with pytest.raises(ChildMisbehaved, match="in the place of its next workspace"):
        scratch.move_in(Request(operation, task, part=Slice(1, 1)))

    assert task.source.read_bytes() == b"a document"


def test_a_full_disk_is_told_as_such(scratch: ScratchFolder, task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "link", full)

    with pytest.raises(DiskFull):
        scratch.move_in(Request(Operation.RUN, task, part=Slice(1, 1)))


@pytest.mark.parametrize("mode", [0o300, 0o600])
def test_what_a_child_made_comes_back_whatever_rights_it_has(mode: int, scratch: ScratchFolder, task: Task) -> None:
    request = Request(Operation.RUN, task, part=Slice(1, 1))
    inside = scratch.move_in(request).task.workspace
    (inside / "images").mkdir()
    (inside / "images" / "1.png").write_bytes(b"png")
    (inside / "images").chmod(mode)

    scratch.move_out(request)

    assert names(task.workspace) == ["images", "images/1.png", "source.pdf"]
    assert [path.name for path in task.workspace.parent.iterdir()] == ["7"]


def test_folders_too_deep_are_left_outside_and_taken_away(scratch: ScratchFolder, task: Task) -> None:
    request = Request(Operation.RUN, task, part=Slice(1, 1))
    inside = scratch.move_in(request).task.workspace
    nested(inside, "a", 1500)

    with pytest.raises(OutputLimit):
        scratch.move_out(request)

    assert [path.name for path in task.workspace.parent.iterdir()] == ["7"]
    assert names(scratch.path) == []


def test_names_that_are_too_long_together_are_the_childs_fault(scratch: ScratchFolder, task: Task) -> None:
    request = Request(Operation.RUN, task, part=Slice(1, 1))
    nested(scratch.move_in(request).task.workspace, "a" * 200, 50)

    with pytest.raises(ChildMisbehaved, match="names that are too long together"):
        scratch.move_out(request)

    shutil.rmtree(task.workspace, ignore_errors=True)


def test_a_result_is_named_where_it_lies_afterwards(scratch: ScratchFolder, task: Task) -> None:
    request = Request(Operation.CONVERT, task)
    archive = scratch.move_in(request).task.workspace / "result.zip"

    reply = scratch.outside(Reply(Produced(Product(archive=archive, summary={})), 1), request)

    assert isinstance(reply.answer, Produced)
    assert reply.answer.product.archive == task.workspace / "result.zip"


@pytest.mark.parametrize("archive", ["/etc/passwd", "../other/result.zip"])
def test_a_result_that_is_elsewhere_stays_there(archive: str, scratch: ScratchFolder, task: Task) -> None:
    request = Request(Operation.CONVERT, task)
    reply = Reply(Produced(Product(archive=scratch.path / archive, summary={})), 1)

    assert scratch.outside(reply, request) == reply


def test_other_answers_stay_as_they_are(scratch: ScratchFolder, task: Task) -> None:
    reply = Reply(SliceDone(Slice(1, 1)), 1)

    assert scratch.outside(reply, Request(Operation.RUN, task)) == reply
