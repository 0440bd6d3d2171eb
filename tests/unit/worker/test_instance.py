"""How processes on one machine know of each other's end."""

import fcntl
import os
import re
from contextlib import closing
from pathlib import Path

import pytest

from blobforge import durable_files
from blobforge.domain.file_rights import FileRights
from blobforge.domain.ids import WorkerId
from blobforge.worker.instance import Instance, this_host, worker_id, worker_name

A = WorkerId("a.1.00")
B = WorkerId("b.2.00")


def opened(folder: Path, own_id: WorkerId) -> Instance:
    instance = Instance(folder, own_id)
    instance.open()
    return instance


def lock_of(folder: Path, own_id: WorkerId) -> Path:
    return folder / f"{own_id}@{this_host()}.lock"


def died(folder: Path, own_id: WorkerId) -> None:
    """What a process leaves that was killed: its files, and no lock."""
    lock_of(folder, own_id).touch()
    (folder / f"{own_id}.work" / "1-1").mkdir(parents=True)


def test_an_id_has_the_name_and_a_part_of_its_own() -> None:
    """R0-40, R2-9."""
    assert worker_id("host") != worker_id("host")
    assert worker_id("rack 4/left").startswith("rack-4-left.")
    assert worker_id("///").startswith("worker.")
    name, pid, nonce = worker_id("rack.4").rsplit(".", 2)
    assert (name, pid, len(nonce)) == ("rack.4", str(os.getpid()), 8)


def test_a_worker_that_nobody_named_is_called_by_its_host_and_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R0-40, R2-9."""
    monkeypatch.setattr("socket.gethostname", lambda: "rack4")
    machine_id = tmp_path / "machine-id"
    machine_id.write_text("0123456789abcdef0123456789abcdef\n")

    first, again = worker_name(machine_id=machine_id), worker_name(machine_id=machine_id)
    machine_id.write_text("another")
    elsewhere = worker_name(machine_id=machine_id)

    assert first == again != elsewhere
    assert re.fullmatch(r"rack4-[0-9a-f]{8}", first)
    assert first.removeprefix("rack4-") not in "0123456789abcdef0123456789abcdef", "the machine's id is not told"


@pytest.mark.parametrize("content", [None, ""])
def test_a_machine_without_an_id_has_its_host_name_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "rack4")
    machine_id = tmp_path / "machine-id"
    if content is not None:
        machine_id.write_text(content)

    assert worker_name(machine_id=machine_id) == "rack4"


def test_the_configured_name_wins_and_is_made_fit_for_files() -> None:
    """R0-40, R0-61."""
    assert worker_name("rack 4/left") == "rack-4-left"
    assert worker_name("///") == "worker"


def test_the_longest_host_name_leaves_room_for_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "h" * 64)
    machine_id = tmp_path / "machine-id"
    machine_id.write_text("an id")

    name = worker_name(machine_id=machine_id)

    assert worker_id(name).startswith(f"{name}.")


def test_those_who_live_are_not_taken_for_dead(tmp_path: Path) -> None:
    """R2-39."""
    first, second = opened(tmp_path, A), opened(tmp_path, B)

    assert list(first.dead()) == list(second.dead()) == []

    first.close()
    second.close()


def test_a_dead_one_is_found_once_and_its_files_are_removed(tmp_path: Path) -> None:
    died(tmp_path, A)
    own = opened(tmp_path, B)

    assert list(own.dead()) == [A]
    assert list(own.dead()) == []

    own.close()
    assert list(tmp_path.iterdir()) == []


def test_folders_in_folders_that_a_dead_one_left_are_no_end_of_others(tmp_path: Path) -> None:
    another = opened(tmp_path, B)
    died(tmp_path, A)
    here = os.open(tmp_path / f"{A}.work", os.O_RDONLY)
    for _ in range(1800):
        os.mkdir("a", dir_fd=here)
        here, before = os.open("a", os.O_RDONLY, dir_fd=here), here
        os.close(before)
    os.close(here)

    assert list(another.dead()) == [A]

    assert list(tmp_path.glob(f"{A}*")) == []
    another.close()


def test_a_dead_one_of_another_host_is_left_to_that_host(tmp_path: Path) -> None:
    """R2-39."""
    died(tmp_path, A)
    left = sorted(tmp_path.iterdir())
    here, elsewhere = opened(tmp_path, B), Instance(tmp_path, B, host="elsewhere")

    assert list(elsewhere.dead()) == []
    assert set(left) < set(tmp_path.iterdir())
    assert list(here.dead()) == [A]
    here.close()


def test_a_host_whose_name_ends_like_this_ones_is_another(tmp_path: Path) -> None:
    (tmp_path / f"{A}@not-{this_host()}.lock").touch()
    here = opened(tmp_path, B)

    assert list(here.dead()) == []
    here.close()


@pytest.mark.parametrize(("name", "host"), [("rack 4/left", "rack-4-left"), ("///", "localhost")])
def test_a_host_has_a_name_that_files_can_have(monkeypatch: pytest.MonkeyPatch, name: str, host: str) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: name)

    assert this_host() == host


def test_a_dead_one_is_found_again_when_its_jobs_could_not_be_freed(tmp_path: Path) -> None:
    died(tmp_path, A)
    own = opened(tmp_path, B)

    found = own.dead()
    next(found)
    found.close()  # type: ignore[attr-defined]

    assert list(own.dead()) == [A]
    own.close()


def test_while_one_sees_to_a_dead_one_another_passes_it_over(tmp_path: Path) -> None:
    died(tmp_path, WorkerId("c.3.00"))
    first, second = opened(tmp_path, A), opened(tmp_path, B)

    seen_to = first.dead()
    assert next(seen_to) == "c.3.00"

    assert list(second.dead()) == []
    assert list(seen_to) == []
    first.close()
    second.close()


def test_a_dead_one_that_another_has_just_seen_to_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    died(tmp_path, A)
    own = opened(tmp_path, B)
    flock = fcntl.flock

    def after_the_other(file: object, how: int) -> None:
        lock_of(tmp_path, A).unlink()
        flock(file, how)  # type: ignore[arg-type]

    monkeypatch.setattr(fcntl, "flock", after_the_other)

    assert list(own.dead()) == []
    own.close()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_process_whose_new_file_was_taken_for_a_dead_ones_makes_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replaced: bool
) -> None:
    path = lock_of(tmp_path, A)
    flock = fcntl.flock
    calls: list[int] = []

    def after_the_sweep(file: object, how: int) -> None:
        if not calls:
            path.unlink()
            if replaced:
                path.touch()
        calls.append(how)
        flock(file, how)  # type: ignore[arg-type]

    monkeypatch.setattr(fcntl, "flock", after_the_sweep)
    own = opened(tmp_path, A)
    monkeypatch.undo()
    other = opened(tmp_path, B)

    assert list(other.dead()) == []
    own.close()
    other.close()


def test_a_process_whose_new_file_is_removed_before_it_has_its_rights_makes_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_rights = durable_files.give_rights
    removed: list[Path] = []

    def removed_before(path: Path, rights: FileRights) -> None:
        if not removed:
            path.unlink()
            removed.append(path)
        give_rights(path, rights)

    monkeypatch.setattr(durable_files, "give_rights", removed_before)
    instance = Instance(tmp_path, WorkerId("one"))

    with closing(instance):
        instance.open()
        assert [path.name for path in tmp_path.glob("one@*.lock")] == [path.name for path in removed]


def test_closing_removes_the_lock_and_the_workspace_and_twice_is_no_error(tmp_path: Path) -> None:
    own = opened(tmp_path / "workers", A)
    own.workspace.mkdir()

    own.close()
    own.close()

    assert list((tmp_path / "workers").iterdir()) == []


def test_who_could_not_hand_its_jobs_back_leaves_its_lock_file_for_the_next_one(tmp_path: Path) -> None:
    owing, paid = opened(tmp_path, A), opened(tmp_path, B)
    owing.note_unreleased_jobs(True)
    paid.note_unreleased_jobs(True)
    paid.note_unreleased_jobs(False)

    owing.close()
    paid.close()

    with closing(opened(tmp_path, WorkerId("c.3.00"))) as successor:
        assert list(successor.dead()) == [A]
