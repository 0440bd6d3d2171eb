"""seccomp: the system calls that a child has no use for, refused by a filter in the kernel."""

import ctypes
import errno
import struct
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from blobforge.worker.sandbox import kernel
from blobforge.worker.sandbox.system_calls import NUMBERS

_LOAD, _AND, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_ARCHITECTURES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000
"""A second set of numbers for the calls of x86_64."""
_EVERY_BIT = 0xFFFFFFFF
_SET_MODE_FILTER, _GET_ACTION_AVAILABLE, _ALL_THREADS = 1, 2, 1

_AF_UNIX, _SOCK_STREAM, _SOCK_TYPE = 1, 1, 0xF
_NEW_NAMESPACES = 0x7E020000
_CLONE_PARENT = 0x8000
_PRIO_PROCESS, _IOPRIO_WHO_PROCESS = 0, 1
_PR_SET_CHILD_SUBREAPER = 36
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_F_SETLEASE = 1024


class When(NamedTuple):
    """A call is refused when this argument, of which only `mask` counts, is `value`; or, `unless`, when it is not."""

    argument: int
    value: int
    mask: int = _EVERY_BIT
    unless: bool = False


class Refusal(NamedTuple):
    """Refused always, or when any of the conditions holds."""

    calls: str
    number: int = errno.EPERM
    when: tuple[When, ...] = ()


_OWN_PROCESS = (When(0, 0, unless=True),)
REFUSED: Final[tuple[Refusal, ...]] = (
    # The network, other programs' sockets, and what could open one. A pair of one's own is harmless.
    Refusal("socket connect bind listen accept accept4", errno.EACCES),
    Refusal(
        "socketpair",
        errno.EACCES,
        (When(0, _AF_UNIX, unless=True), When(1, _SOCK_STREAM, mask=_SOCK_TYPE, unless=True)),
    ),
    Refusal("io_uring_setup io_uring_enter io_uring_register"),
    # Other processes: their memory, files, limits and share of the processor.
    Refusal("ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp process_madvise process_mrelease"),
    Refusal("prlimit64 sched_setaffinity sched_setscheduler sched_setparam sched_setattr", when=_OWN_PROCESS),
    Refusal("migrate_pages move_pages", when=_OWN_PROCESS),
    Refusal("setpriority", when=(When(0, _PRIO_PROCESS, unless=True), When(1, 0, unless=True))),
    Refusal("ioprio_set", when=(When(0, _IOPRIO_WHO_PROCESS, unless=True), When(1, 0, unless=True))),
    Refusal("shmget shmat shmctl semget semop semtimedop semctl msgget msgsnd msgrcv msgctl mq_open mq_unlink"),
    # The way out of the group that is killed as one, and out of the sight of who counts it.
    Refusal("setsid setpgid"),
    Refusal("prctl", when=(When(0, _PR_SET_CHILD_SUBREAPER),)),
    # It makes children of one's parent, who knows nothing of them.
    Refusal("clone", when=(When(0, 0, mask=_CLONE_PARENT, unless=True),)),
    # Another view of the system.
    Refusal("unshare setns mount umount2 pivot_root chroot move_mount open_tree open_tree_attr fsopen fsconfig"),
    Refusal("fsmount fspick mount_setattr"),
    Refusal("clone", when=(When(0, 0, mask=_NEW_NAMESPACES, unless=True),)),
    # Its flags lie in memory, where a filter cannot look; every libc falls back to the one above.
    Refusal("clone3", errno.ENOSYS),
    # What Landlock does not know: rights, times, owners and attributes of files, and files by their numbers. A change
    # of rights or times is answered as done, for who copies a file in its workspace asks for one and needs none.
    Refusal("chmod fchmod fchmodat fchmodat2", 0),
    # Of an open file, before what asks for the present time of a path: that is refused, since who wants a file to be
    # there asks for that first (`Path.touch`), and makes it where that fails.
    Refusal("utimensat", 0, (When(1, 0),)),
    Refusal("utime utimes", when=(When(1, 0),)),
    Refusal("futimesat utimensat", when=(When(2, 0),)),
    Refusal("utime utimes futimesat utimensat", 0),
    Refusal("chown fchown lchown fchownat setxattr lsetxattr fsetxattr setxattrat file_setattr"),
    Refusal("removexattr lremovexattr fremovexattr removexattrat"),
    Refusal("open_by_handle_at name_to_handle_at fanotify_init fanotify_mark"),
    # Whoever opens a file that another holds a lease on waits for that.
    Refusal("fcntl", when=(When(1, _F_SETLEASE),)),
    # A watch tells the names in folders that cannot be listed.
    Refusal("inotify_init inotify_init1 inotify_add_watch"),
    # The kernel itself, and large parts of it that have nothing to do with documents.
    Refusal("bpf perf_event_open userfaultfd keyctl add_key request_key memfd_secret"),
    Refusal("init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff acct"),
    Refusal("quotactl quotactl_fd settimeofday clock_settime adjtimex clock_adjtime sethostname setdomainname"),
    Refusal("syslog iopl ioperm modify_ldt vhangup lookup_dcookie"),
    Refusal("ioctl", when=(When(1, _TIOCSTI), When(1, _TIOCLINUX))),
)
TRUNCATION: Final[tuple[Refusal, ...]] = (Refusal("truncate"),)
"""By a path; for a Landlock that does not know it yet."""


def signals_to(process: int, group: int) -> tuple[Refusal, ...]:
    """For a Landlock that does not know signals yet: one process is out of reach, and so is everyone at once."""
    to_it = (When(0, process),)
    return (
        Refusal("kill", when=(*to_it, When(0, -1 & _EVERY_BIT), When(0, -group & _EVERY_BIT))),
        Refusal("tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo", when=to_it),
        Refusal("pidfd_send_signal"),
    )


def pinned(descriptor: int) -> tuple[Refusal, ...]:
    """Nobody can let go of this file, change what it does, or get it under another number."""
    it = (When(0, descriptor),)
    return (
        # Who closes all that it does not know is told that it was done.
        Refusal("close", 0, it),
        Refusal("fcntl ioctl dup", when=it),
        Refusal("dup2 dup3", when=(*it, When(1, descriptor))),
        # Every libc falls back to closing one by one.
        Refusal("close_range", errno.ENOSYS),
        # They pass files on, and what they pass lies in memory, where a filter cannot look.
        Refusal("sendmsg sendmmsg"),
    )


class Instruction(NamedTuple):
    """Of classic BPF; the jumps count from the instruction after it."""

    code: int
    if_true: int
    if_false: int
    operand: int


def is_available() -> bool:
    if not kernel.is_known():
        return False
    action = ctypes.create_string_buffer(struct.pack("I", _ERRNO))
    try:
        kernel.call("seccomp", _GET_ACTION_AVAILABLE, 0, action)
    except OSError:
        return False
    return True


def program(refusals: Iterable[Refusal], machine: str) -> list[Instruction]:
    """The filter for one kind of processor; calls that it does not have are left out."""
    numbers = NUMBERS[machine]
    made = [
        Instruction(_LOAD, 0, 0, _ARCHITECTURE_AT),
        Instruction(_JUMP_IF_EQUAL, 1, 0, _ARCHITECTURES[machine]),
        _answer(errno.EPERM),
        Instruction(_LOAD, 0, 0, _NUMBER_AT),
        Instruction(_JUMP_IF_AT_LEAST, 0, 1, _X32),
        _answer(errno.ENOSYS),
    ]
    for refusal in refusals:
        for name in refusal.calls.split():
            if name in numbers:
                body = list(_body(refusal))
                made += [Instruction(_JUMP_IF_EQUAL, 0, len(body), numbers[name]), *body]
    return [*made, Instruction(_RETURN, 0, 0, _ALLOW)]


def install(refusals: Iterable[Refusal]) -> None:
    """For all threads of this process and all that they start, for ever. Raises OSError."""
    made = program(refusals, kernel.machine())
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *instruction) for instruction in made))
    kernel.call("seccomp", _SET_MODE_FILTER, _ALL_THREADS, _Program(len(made), ctypes.addressof(code)))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def _body(refusal: Refusal) -> Iterator[Instruction]:
    """What follows once the call is recognised: an answer, or the number of the call again for what comes next."""
    if not refusal.when:
        yield _answer(refusal.number)
        return
    for condition in refusal.when:
        yield Instruction(_LOAD, 0, 0, _ARGUMENTS_AT + 8 * condition.argument)
        yield Instruction(_AND, 0, 0, condition.mask)
        jumps = (1, 0) if condition.unless else (0, 1)
        yield Instruction(_JUMP_IF_EQUAL, *jumps, condition.value)
        yield _answer(refusal.number)
    # Another refusal may name the same call.
    yield Instruction(_LOAD, 0, 0, _NUMBER_AT)


def _answer(number: int) -> Instruction:
    return Instruction(_RETURN, 0, 0, _ERRNO | number)
