"""Which places a child is given."""

import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from blobforge.domain.errors import InvalidSettings
from blobforge.worker.sandbox.landlock import RUN, USE, WORK, Right, known_rights
from blobforge.worker.sandbox.places import allowed_paths
from blobforge.worker.sandbox.policy import SandboxPolicy
from blobforge.worker.sandbox.support import SandboxSupport, require_whole


def allowed(
    folder: Path, *, readable: tuple[str, ...] = (), private: tuple[str, ...] = (), **environment: str
) -> dict[str, Right]:
    policy = SandboxPolicy(
        landlock=7,
        seccomp=True,
        scratch=str(folder / "home" / "work"),
        readable=readable,
        private=(str(folder / "store"), *private),
    )
    return {str(path): rights for path, rights in allowed_paths(policy, environment)}


def test_it_writes_to_the_workspaces_and_to_nothing_else(tmp_path: Path) -> None:
    writable = {path for path, rights in allowed(tmp_path).items() if rights & Right.MAKE_REG}

    assert writable == {str(tmp_path / "home" / "work")}


def test_nothing_that_it_wrote_can_be_run_or_lead_elsewhere() -> None:
    assert not WORK & (Right.EXECUTE | Right.MAKE_SYM | Right.MAKE_FIFO | Right.MAKE_SOCK | Right.MAKE_CHAR)


def test_its_packages_are_readable(tmp_path: Path) -> None:
    given = allowed(tmp_path)

    assert {given[sys.prefix], given[sys.base_prefix]} == {RUN}


@pytest.mark.parametrize("broad", ["/", "home", "", "store"])
def test_a_folder_with_peoples_files_in_it_is_not_a_folder_of_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broad: str
) -> None:
    place = str(tmp_path / broad)
    monkeypatch.setattr(sys, "path", [*sys.path, place])

    given = allowed(tmp_path, PATH=f"{place}:{tmp_path / 'bin'}", HOME=str(tmp_path / "home"))

    assert place not in given
    assert given[str(tmp_path / "bin")] == RUN


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs, as /usr, in which people have put theirs."""
    usr = tmp_path / "usr"
    for name in ("bin", "local/bin", "local/home", "local/store", "lib"):
        (usr / name).mkdir(parents=True)
    (usr / "queue.db").touch()
    (usr / "queue.db-wal").touch()
    (usr / "link").symlink_to(tmp_path)
    monkeypatch.setattr("blobforge.worker.sandbox.places.PROGRAMS", (str(usr),))
    return usr


def below(folder: Path, given: Iterable[str]) -> set[str]:
    return {str(Path(path).relative_to(folder)) for path in given if Path(path).is_relative_to(folder)}


def test_what_is_private_in_a_folder_of_programs_is_left_out_of_it(tmp_path: Path, programs: Path) -> None:
    private = tuple(str(programs / name) for name in ("queue.db", "queue.db-wal", "local/store", "local/not/yet"))

    given = allowed(tmp_path, private=private, HOME=str(programs / "local" / "home"))

    assert below(programs, given) == {"bin", "lib", "local/bin"}


def test_a_path_with_a_slash_too_many_is_the_same_place(tmp_path: Path, programs: Path) -> None:
    given = allowed(tmp_path, private=(f"/{programs / 'local'}",), HOME=f"/{programs / 'lib'}")

    assert below(programs, given) == {"bin", "queue.db", "queue.db-wal"}


def test_a_folder_of_programs_with_nothing_private_in_it_is_given_as_a_whole(tmp_path: Path, programs: Path) -> None:
    assert below(programs, allowed(tmp_path, HOME=str(tmp_path))) == {"."}


def test_a_system_user_whose_home_is_a_folder_of_programs_can_run_them(tmp_path: Path) -> None:
    assert allowed(tmp_path, HOME="/usr/sbin")["/usr"] == RUN


def test_queue_and_store_are_left_out_of_what_is_asked_for(tmp_path: Path, programs: Path) -> None:
    given = allowed(tmp_path, readable=(str(programs),), private=(str(programs / "queue.db"),), HOME=str(programs))

    assert below(programs, given) == {"bin", "lib", "local", "queue.db-wal"}


def test_a_path_that_is_not_absolute_is_left_out(tmp_path: Path) -> None:
    assert "." not in allowed(tmp_path, PATH=".:relative/bin:")


def test_what_is_asked_for_is_readable_and_devices_can_be_used(tmp_path: Path) -> None:
    given = allowed(tmp_path, readable=("/srv/models", "/dev/nvidia0"))

    assert given["/srv/models"] == RUN
    assert given["/dev/nvidia0"] == USE


def test_an_older_kernel_is_asked_only_for_what_it_knows() -> None:
    assert Right.TRUNCATE not in known_rights(2)
    assert Right.TRUNCATE in known_rights(3)
    assert Right.IOCTL_DEV not in known_rights(4)
    assert known_rights(1) == Right(0x1FFF)


@pytest.mark.parametrize(
    ("support", "missing"),
    [
        (SandboxSupport(landlock=0, seccomp=True), "no Landlock"),
        (SandboxSupport(landlock=0, seccomp=False), "no Landlock and no seccomp"),
    ],
)
def test_where_it_is_required_and_not_to_be_had_that_is_said(support: SandboxSupport, missing: str) -> None:
    with pytest.raises(InvalidSettings, match=f"BLOBFORGE_SANDBOX is 'required', and .*{missing}"):
        require_whole(support)


def test_where_all_is_there_nothing_is_missing() -> None:
    support = SandboxSupport(landlock=1, seccomp=True)
    require_whole(support)

    assert support.missing == ""
