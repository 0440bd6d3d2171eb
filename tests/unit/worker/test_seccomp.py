"""What the filter of system calls answers, on both kinds of processor; the kernel's own machine is played here."""

import errno
from collections.abc import Sequence

import pytest

from blobforge.worker.sandbox import entry
from blobforge.worker.sandbox.seccomp import Instruction, pinned, program
from blobforge.worker.sandbox.system_calls import NUMBERS

ALLOWED = -1
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
AF_UNIX, AF_INET, STREAM, DATAGRAM, CLOSE_ON_EXEC = 1, 2, 1, 2, 0o2000000
PARENT, GROUP = 4321, 4300
NEW_USER, THREAD = 0x10000000, 0x00010000
OF_ITS_PARENT, END_OF_CHILD = 0x8000, 17
SET_FLAGS, SET_LEASE = 4, 1024

Machines = pytest.mark.parametrize("machine", ["x86_64", "aarch64"])


def play(made: Sequence[Instruction], *, architecture: int, number: int, arguments: Sequence[int]) -> int:
    """The number of the error that a call gets; ALLOWED, or 0 where it is only said to be done."""
    memory = {0: number, 4: architecture, **{16 + 8 * place: value for place, value in enumerate(arguments)}}
    at = accumulator = 0
    while True:
        code, if_true, if_false, operand = made[at]
        at += 1
        match code:
            case 0x20:
                accumulator = memory.get(operand, 0) & 0xFFFFFFFF
            case 0x54:
                accumulator &= operand
            case 0x15:
                at += if_true if accumulator == operand else if_false
            case 0x35:
                at += if_true if accumulator >= operand else if_false
            case 0x06:
                return ALLOWED if operand == 0x7FFF0000 else operand & 0xFFFF
            case _:
                raise AssertionError(f"no such instruction: {code:#x}")


def answer(machine: str, call: str, *arguments: int, landlock: int = 7) -> int:
    made = program(entry.refusals(landlock, parent=PARENT, parents_group=GROUP), machine)
    number = NUMBERS[machine][call]
    return play(made, architecture=ARCHITECTURES[machine], number=number, arguments=arguments)


@Machines
@pytest.mark.parametrize("call", ["ptrace", "unshare", "mount", "bpf", "setsid", "io_uring_setup", "open_by_handle_at"])
def test_what_a_child_has_no_use_for_is_refused(machine: str, call: str) -> None:
    assert answer(machine, call) == errno.EPERM


@Machines
def test_every_call_that_is_not_named_is_allowed(machine: str) -> None:
    made = program(entry.refusals(7, parent=PARENT, parents_group=GROUP), machine)
    named = set(NUMBERS[machine].values())

    answers = {
        play(made, architecture=ARCHITECTURES[machine], number=number, arguments=[])
        for number in range(512)
        if number not in named
    }

    assert answers == {ALLOWED}


@Machines
def test_no_socket_but_a_pair_of_ones_own(machine: str) -> None:
    assert answer(machine, "socket", AF_INET, DATAGRAM) == errno.EACCES
    assert answer(machine, "socket", AF_UNIX, STREAM) == errno.EACCES
    assert answer(machine, "socketpair", AF_UNIX, STREAM | CLOSE_ON_EXEC) == ALLOWED
    assert answer(machine, "socketpair", AF_UNIX, DATAGRAM) == errno.EACCES
    assert answer(machine, "socketpair", AF_INET, STREAM) == errno.EACCES


@Machines
def test_threads_and_programs_are_started_and_new_namespaces_are_not(machine: str) -> None:
    assert answer(machine, "clone", THREAD) == ALLOWED
    assert answer(machine, "clone", THREAD | NEW_USER) == errno.EPERM
    assert answer(machine, "clone", END_OF_CHILD) == ALLOWED
    assert answer(machine, "clone", OF_ITS_PARENT | END_OF_CHILD) == errno.EPERM
    assert answer(machine, "clone3") == errno.ENOSYS


@Machines
def test_limits_are_ones_own_to_change_and_nobody_elses(machine: str) -> None:
    assert answer(machine, "prlimit64", 0) == ALLOWED
    assert answer(machine, "prlimit64", PARENT) == errno.EPERM
    assert answer(machine, "setpriority", 0, 0) == ALLOWED
    assert answer(machine, "setpriority", 0, PARENT) == errno.EPERM
    assert answer(machine, "setpriority", 2, 0) == errno.EPERM


@Machines
def test_a_change_of_rights_is_only_said_to_be_done(machine: str) -> None:
    assert answer(machine, "fchmodat") == 0


@Machines
def test_so_is_a_change_of_times_but_for_that_of_a_path_to_now_which_may_not_be_there(machine: str) -> None:
    """Who wants a file to be there asks for that first, and makes the file where it is refused."""
    path, times, nothing = 0x7F001000, 0x7F002000, 0

    assert answer(machine, "utimensat", 0, path, times) == 0
    assert answer(machine, "utimensat", 5, nothing, nothing) == 0
    assert answer(machine, "utimensat", 0, path, nothing) == errno.EPERM


@pytest.mark.parametrize(("call", "place"), [("utime", 1), ("utimes", 1), ("futimesat", 2)])
def test_so_it_is_by_the_older_calls(call: str, place: int) -> None:
    path, times, nothing = 0x7F001000, 0x7F002000, 0
    before = [path] if place == 1 else [0, path]

    assert (answer("x86_64", call, *before, times), answer("x86_64", call, *before, nothing)) == (0, errno.EPERM)


@Machines
def test_nobody_can_be_made_to_wait_for_a_file(machine: str) -> None:
    assert answer(machine, "fcntl", 5, SET_LEASE) == errno.EPERM
    assert answer(machine, "fcntl", 5, SET_FLAGS) == ALLOWED


@Machines
def test_a_pinned_file_is_neither_closed_nor_changed_nor_copied(machine: str) -> None:
    made = program((*entry.refusals(7, parent=PARENT, parents_group=GROUP), *pinned(256)), machine)

    def asked(call: str, *arguments: int) -> int:
        number = NUMBERS[machine][call]
        return play(made, architecture=ARCHITECTURES[machine], number=number, arguments=arguments)

    assert asked("close", 256) == 0
    assert {asked(call, 256) for call in ("fcntl", "ioctl", "dup", "dup3")} == {errno.EPERM}
    assert asked("dup3", 5, 256) == errno.EPERM
    assert (asked("close_range", 3, 1000), asked("sendmsg", 5)) == (errno.ENOSYS, errno.EPERM)
    assert {asked(call, 255, 7) for call in ("close", "fcntl", "ioctl", "dup", "dup3")} == {ALLOWED}


@Machines
def test_two_refusals_of_one_call_hold_both(machine: str) -> None:
    made = program((*entry.refusals(7, parent=PARENT, parents_group=GROUP), *pinned(256)), machine)
    number, put_into_terminal = NUMBERS[machine]["ioctl"], 0x5412

    for arguments in ([256, 0], [5, put_into_terminal]):
        assert play(made, architecture=ARCHITECTURES[machine], number=number, arguments=arguments) == errno.EPERM


@Machines
def test_a_landlock_that_knows_signals_is_left_to_judge_them(machine: str) -> None:
    assert answer(machine, "kill", PARENT) == ALLOWED
    assert answer(machine, "truncate") == ALLOWED


@Machines
@pytest.mark.parametrize(
    ("target", "expected"), [(PARENT, errno.EPERM), (-1, errno.EPERM), (-GROUP, errno.EPERM), (77, ALLOWED)]
)
def test_beside_an_older_one_the_parent_is_out_of_reach(machine: str, target: int, expected: int) -> None:
    assert answer(machine, "kill", target, landlock=5) == expected


@Machines
def test_beside_the_oldest_no_file_is_emptied_by_its_path(machine: str) -> None:
    assert answer(machine, "truncate", landlock=2) == errno.EPERM


@pytest.mark.parametrize(("machine", "other"), [("x86_64", 0x40000003), ("aarch64", 0x40000028)])
def test_the_calls_of_another_kind_of_processor_are_refused(machine: str, other: int) -> None:
    made = program(entry.refusals(7, parent=PARENT, parents_group=GROUP), machine)

    assert play(made, architecture=other, number=20, arguments=[]) == errno.EPERM


def test_the_second_numbers_of_the_same_calls_are_refused() -> None:
    made = program(entry.refusals(7, parent=PARENT, parents_group=GROUP), "x86_64")

    assert play(made, architecture=ARCHITECTURES["x86_64"], number=0x40000000 + 41, arguments=[]) == errno.ENOSYS
