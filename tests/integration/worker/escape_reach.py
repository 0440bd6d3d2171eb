"""Attempts to reach out: to the network, to other processes, and into the kernel."""

import ctypes
import errno
import fcntl
import os
import resource
import signal
import socket
from pathlib import Path

from tests.integration.worker.escape_kit import (
    BY_FILE,
    Targets,
    attempt,
    in_a_process_of_its_own,
    suppress_number,
    system_call,
)

# Network


@attempt("connect by TCP")
def _(targets: Targets, _workspace: Path) -> None:
    socket.create_connection(("127.0.0.1", targets.tcp_port), timeout=5).close()


@attempt("listen on TCP")
def _(_targets: Targets, _workspace: Path) -> None:
    socket.create_server(("127.0.0.1", 0)).close()


@attempt("send by UDP")
def _(targets: Targets, _workspace: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"secret", ("127.0.0.1", targets.udp_port))


@attempt("ask the kernel's network")
def _(_targets: Targets, _workspace: Path) -> None:
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close()


@attempt("connect to a socket in a folder")
def _(targets: Targets, _workspace: Path) -> None:
    with socket.socket(socket.AF_UNIX) as sender:
        sender.connect(targets.unix_socket)


@attempt("connect to an abstract socket")
def _(targets: Targets, _workspace: Path) -> None:
    with socket.socket(socket.AF_UNIX) as sender:
        sender.connect("\0" + targets.abstract_socket)


@attempt("send from one end of a pair to somebody else")
def _(targets: Targets, _workspace: Path) -> None:
    mine, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with mine, other:
        mine.connect(targets.unix_socket + ".datagram")


@attempt("open an io_uring")
def _(_targets: Targets, _workspace: Path) -> None:
    os.close(system_call("io_uring_setup", 1, ctypes.create_string_buffer(256)))


# Other processes


@attempt("signal its parent")
def _(_targets: Targets, _workspace: Path) -> None:
    os.kill(os.getppid(), signal.SIGCONT)


@attempt("signal another program")
def _(targets: Targets, _workspace: Path) -> None:
    os.kill(targets.neighbour, signal.SIGCONT)


@attempt(BY_FILE)
def _(_targets: Targets, _workspace: Path) -> None:
    reading, writing = os.pipe()
    fcntl.fcntl(reading, fcntl.F_SETOWN, os.getppid())
    fcntl.fcntl(reading, fcntl.F_SETSIG, signal.SIGUSR2)
    fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(writing, b"x")


@attempt("trace its parent")
def _(_targets: Targets, _workspace: Path) -> None:
    seize, parent = 0x4206, os.getppid()
    in_a_process_of_its_own(lambda: system_call("ptrace", seize, parent, 0, 0))


@attempt("read its parent's memory")
def _(_targets: Targets, _workspace: Path) -> None:
    buffer = ctypes.create_string_buffer(8)
    here = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 8)
    there = (ctypes.c_size_t * 2)(id(None), 8)
    with suppress_number(errno.EFAULT):
        system_call("process_vm_readv", os.getppid(), here, 1, there, 1, 0)


@attempt("change its parent's limits")
def _(_targets: Targets, _workspace: Path) -> None:
    parent = os.getppid()
    resource.prlimit(parent, resource.RLIMIT_CORE, resource.prlimit(parent, resource.RLIMIT_CORE))


@attempt("slow its parent down")
def _(_targets: Targets, _workspace: Path) -> None:
    parent = os.getppid()
    os.setpriority(os.PRIO_PROCESS, parent, os.getpriority(os.PRIO_PROCESS, parent))


@attempt("bind its parent to one core")
def _(_targets: Targets, _workspace: Path) -> None:
    os.sched_setaffinity(os.getppid(), os.sched_getaffinity(os.getppid()))


@attempt("leave its group and go on as a daemon")
def _(_targets: Targets, _workspace: Path) -> None:
    in_a_process_of_its_own(os.setsid)


@attempt("make a group of its own")
def _(_targets: Targets, _workspace: Path) -> None:
    in_a_process_of_its_own(lambda: os.setpgid(0, 0))


@attempt("make children of its parent")
def _(_targets: Targets, _workspace: Path) -> None:
    of_its_parent, end_of_child = 0x8000, 17
    if system_call("clone", of_its_parent | end_of_child, 0, 0, 0, 0) == 0:
        os._exit(0)


@attempt("share memory with other programs")
def _(_targets: Targets, _workspace: Path) -> None:
    remove = 0
    segment = system_call("shmget", 0, 4096, 0o600)
    system_call("shmctl", segment, remove, 0)


@attempt("give itself more memory than its limit")
def _(_targets: Targets, _workspace: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard + 4096))


# What is known to be possible: docs/sandbox.md says why.


@attempt("find another program by its number")
def _(targets: Targets, _workspace: Path) -> None:
    Path(f"/proc/{targets.neighbour}").stat()
    os.getsid(targets.neighbour)


# The system


@attempt("make a user namespace")
def _(_targets: Targets, _workspace: Path) -> None:
    in_a_process_of_its_own(lambda: system_call("unshare", 0x10000000))


@attempt("start a process in new namespaces")
def _(_targets: Targets, _workspace: Path) -> None:
    new_user, end_of_child = 0x10000000, 17
    pid = system_call("clone", new_user | end_of_child, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


@attempt("mount a file system")
def _(_targets: Targets, workspace: Path) -> None:
    with suppress_number(errno.ENOENT):
        system_call("mount", b"none", str(workspace / "nowhere").encode(), b"tmpfs", 0, 0)


@attempt("take another folder for the root")
def _(_targets: Targets, workspace: Path) -> None:
    in_a_process_of_its_own(lambda: os.chroot(workspace))


@attempt("look into the kernel's keys")
def _(_targets: Targets, _workspace: Path) -> None:
    get_keyring, session_keyring = 0, -3
    system_call("keyctl", get_keyring, session_keyring, 1)


@attempt("load a program into the kernel")
def _(_targets: Targets, _workspace: Path) -> None:
    there_is_no_such_command = 9999
    with suppress_number(errno.EINVAL):
        system_call("bpf", there_is_no_such_command, ctypes.create_string_buffer(128), 128)


@attempt("handle page faults")
def _(_targets: Targets, _workspace: Path) -> None:
    only_user_mode = 1
    os.close(system_call("userfaultfd", only_user_mode))


@attempt("get more rights from a program that has them")
def _(_targets: Targets, _workspace: Path) -> None:
    get_no_new_privileges = 39
    if ctypes.CDLL(None).prctl(get_no_new_privileges, 0, 0, 0, 0) == 1:
        raise PermissionError("no program gives any")
