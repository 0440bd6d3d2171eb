"""Attempts on files: to read, write, move and mark what is not a child's own."""

import ctypes
import fcntl
import os
import subprocess
import sysconfig
from pathlib import Path

from tests.integration.worker.escape_kit import Targets, attempt, system_call

LOADERS = {"x86_64": "/lib64/ld-linux-x86-64.so.2", "aarch64": "/lib/ld-linux-aarch64.so.1"}

# Reading


@attempt("read a private key in the home folder")
def _(targets: Targets, _workspace: Path) -> None:
    Path(targets.key).read_bytes()


@attempt("list the home folder")
def _(targets: Targets, _workspace: Path) -> None:
    list(Path(targets.home).iterdir())


@attempt("hear of the files that are made in the home folder")
def _(targets: Targets, _workspace: Path) -> None:
    everything, watch = 0xFFF, system_call("inotify_init1", 0)
    system_call("inotify_add_watch", watch, targets.home.encode(), everything)
    os.close(watch)


@attempt("read the queue's database")
def _(targets: Targets, _workspace: Path) -> None:
    Path(targets.database).read_bytes()


@attempt("read a document in the store")
def _(targets: Targets, _workspace: Path) -> None:
    Path(targets.blob).read_bytes()


@attempt("read another document that the same worker converts")
def _(targets: Targets, _workspace: Path) -> None:
    Path(targets.other_document).read_bytes()


@attempt("read the system's passwords")
def _(_targets: Targets, _workspace: Path) -> None:
    Path("/etc/shadow").read_bytes()


@attempt("read the kernel's messages")
def _(_targets: Targets, _workspace: Path) -> None:
    os.close(os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK))


@attempt("read the parent's environment")
def _(_targets: Targets, _workspace: Path) -> None:
    Path(f"/proc/{os.getppid()}/environ").read_bytes()


@attempt("open the parent's memory")
def _(_targets: Targets, _workspace: Path) -> None:
    os.close(os.open(f"/proc/{os.getppid()}/mem", os.O_RDONLY))


@attempt("read the parent's open files")
def _(_targets: Targets, _workspace: Path) -> None:
    list(Path(f"/proc/{os.getppid()}/fd").iterdir())


@attempt("read another program's command line")
def _(targets: Targets, _workspace: Path) -> None:
    Path(f"/proc/{targets.neighbour}/cmdline").read_bytes()


@attempt("list the running programs")
def _(_targets: Targets, _workspace: Path) -> None:
    list(Path("/proc").iterdir())


@attempt("find a secret in its own environment")
def _(targets: Targets, _workspace: Path) -> None:
    if targets.secret_name not in os.environ:
        raise OSError("not there")


@attempt("open a file by its number, past its folder")
def _(targets: Targets, _workspace: Path) -> None:
    handle = ctypes.create_string_buffer(8 + 128)
    ctypes.memmove(handle, (ctypes.c_uint * 2)(128, 0), 8)
    mount = ctypes.c_int()
    system_call("name_to_handle_at", -100, targets.key.encode(), handle, ctypes.byref(mount), 0)


# Writing


@attempt("change another document that the same worker converts")
def _(targets: Targets, _workspace: Path) -> None:
    with Path(targets.other_document).open("ab"):
        pass


@attempt("leave a file beside another document")
def _(targets: Targets, _workspace: Path) -> None:
    made = Path(targets.other_document).with_name("planted")
    made.touch()
    made.unlink()


@attempt("leave a file where other children have their folders")
def _(targets: Targets, _workspace: Path) -> None:
    made = Path(targets.other_document).parent.with_name("planted")
    made.touch()
    made.unlink()


@attempt("make a file in the home folder")
def _(targets: Targets, _workspace: Path) -> None:
    made = Path(targets.home, "made")
    made.write_text("by a child")
    made.unlink()


@attempt("change a file in the home folder")
def _(targets: Targets, _workspace: Path) -> None:
    with Path(targets.key).open("ab"):
        pass


@attempt("empty a file by its path")
def _(targets: Targets, _workspace: Path) -> None:
    os.truncate(targets.key, Path(targets.key).stat().st_size)


@attempt("delete a file in the home folder")
def _(targets: Targets, _workspace: Path) -> None:
    Path(targets.home, "spare").unlink()


@attempt("move a file of the home folder into its workspace")
def _(targets: Targets, workspace: Path) -> None:
    Path(targets.key).rename(workspace / "moved")
    Path(workspace / "moved").rename(targets.key)


@attempt("link a file of the home folder into its workspace")
def _(targets: Targets, workspace: Path) -> None:
    os.link(targets.key, workspace / "linked")
    (workspace / "linked").unlink()


@attempt("leave a link for its parent to follow")
def _(targets: Targets, workspace: Path) -> None:
    (workspace / "trap").symlink_to(targets.key)
    (workspace / "trap").unlink()


@attempt("leave a pipe on which its parent hangs")
def _(_targets: Targets, workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    (workspace / "pipe").unlink()


@attempt("write to /tmp")
def _(_targets: Targets, _workspace: Path) -> None:
    made = Path(f"/tmp/blobforge-escape-{os.getpid()}")
    made.touch()
    made.unlink()


@attempt("write to /dev/shm")
def _(_targets: Targets, _workspace: Path) -> None:
    made = Path(f"/dev/shm/blobforge-escape-{os.getpid()}")
    made.touch()
    made.unlink()


@attempt("change the packages that it is made of")
def _(_targets: Targets, _workspace: Path) -> None:
    made = Path(sysconfig.get_path("purelib"), f"escape_{os.getpid()}.py")
    made.touch()
    made.unlink()


@attempt("change the rights of a file")
def _(targets: Targets, _workspace: Path) -> None:
    before = Path(targets.key).stat().st_mode & 0o777
    Path(targets.key).chmod(0o644)
    if Path(targets.key).stat().st_mode & 0o777 == before:
        raise PermissionError("it was only said to be done")
    Path(targets.key).chmod(before)


@attempt("set the times of a file")
def _(targets: Targets, _workspace: Path) -> None:
    long_ago = 86400
    before = Path(targets.blob).stat()
    os.utime(targets.blob, (long_ago, long_ago))
    if Path(targets.blob).stat().st_mtime != long_ago:
        raise PermissionError("it was only said to be done")
    os.utime(targets.blob, ns=(before.st_atime_ns, before.st_mtime_ns))


@attempt("make others wait for a file of its packages")
def _(_targets: Targets, _workspace: Path) -> None:
    with Path(__file__).with_name("site.py").open("rb") as package:
        fcntl.fcntl(package, fcntl.F_SETLEASE, fcntl.F_WRLCK)


@attempt("put an attribute on a file")
def _(targets: Targets, _workspace: Path) -> None:
    os.setxattr(targets.key, "user.escape", b"1")
    os.removexattr(targets.key, "user.escape")


@attempt("run a program that it wrote, by its name")
def _(_targets: Targets, workspace: Path) -> None:
    subprocess.run([_written_program(workspace)], check=True)


@attempt("be the last to go when memory is short")
def _(_targets: Targets, _workspace: Path) -> None:
    adjust = Path("/proc/self/oom_score_adj")
    adjust.write_text(str(int(adjust.read_text()) + 1))


# What is known to be possible: docs/sandbox.md says why.


@attempt("read where this machine has connections to")
def _(_targets: Targets, _workspace: Path) -> None:
    Path("/proc/self/net/tcp").read_bytes()


@attempt("read which disks there are, and where")
def _(_targets: Targets, _workspace: Path) -> None:
    Path("/proc/self/mountinfo").read_bytes()


@attempt("run a program that it wrote, by the system's loader")
def _(_targets: Targets, workspace: Path) -> None:
    subprocess.run([LOADERS[os.uname().machine], _written_program(workspace)], check=True)


@attempt("run a program that it wrote into memory")
def _(_targets: Targets, workspace: Path) -> None:
    program = os.memfd_create("program")
    os.write(program, _written_program(workspace).read_bytes())
    subprocess.run([f"/proc/self/fd/{program}"], pass_fds=[program], check=True)


@attempt("load a library that it wrote")
def _(_targets: Targets, workspace: Path) -> None:
    written = workspace / "library.so"
    written.write_bytes(_library_of_c().with_name("libm.so.6").read_bytes())
    ctypes.CDLL(str(written))


@attempt("learn that a file exists, and its size")
def _(targets: Targets, _workspace: Path) -> None:
    Path(targets.key).stat()


def _written_program(workspace: Path) -> Path:
    program = workspace / "program"
    os.close(os.open(program, os.O_CREAT | os.O_WRONLY, 0o755))
    program.write_bytes(Path("/bin/true").read_bytes())
    return program


def _library_of_c() -> Path:
    """Where the libraries of the system are: that of C is mapped into every program."""
    mapped = Path("/proc/self/maps").read_text().split()
    return Path(next(name for name in mapped if "/libc.so" in name))
