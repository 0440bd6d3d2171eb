"""Git repositories by their address: cloned once into a folder of ours, and brought up to date after that."""

import fcntl
import hashlib
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from blobforge import durable_files, untrusted_tree
from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import InvalidValue, SourceUnreadable
from blobforge.domain.file_rights import FileRights
from blobforge.ingest.processes import environment_for_git, said
from blobforge.telemetry.safe_text import without_passwords

_HOST = r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?"
_AS_SCP = re.compile(rf"[A-Za-z0-9_][A-Za-z0-9_.-]*@{_HOST}:[^-].*")
_AS_SCP_OR_ALIAS = re.compile(rf"(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?(?P<host>{_HOST}):[^-].*")
_NO_TEXT = re.compile(r"[\x00-\x1f\x7f]")

# No program of ours or of the repository runs: no hooks, and no filters, since these attributes go before all others.
# Links become files with the name of their target: a repository must not lead out of itself.
_SAFE = ("core.hooksPath=/dev/null", "core.symlinks=false", "core.fsmonitor=false", "submodule.recurse=false")
_ATTRIBUTES = "* -filter -text -ident -working-tree-encoding\n"


def is_address(text: str) -> bool:
    """Whether this is meant as the address of a repository, allowed or not."""
    return "://" in text or "::" in text or _AS_SCP.fullmatch(text) is not None


def check_address(text: str) -> str:
    """Raises InvalidValue for what is not https, ssh or git@host:path."""
    if _NO_TEXT.search(text) or not (_AS_SCP.fullmatch(text) or _is_url(text)):
        raise InvalidValue(
            f"{shown_address(text)!r} is no address that can be cloned: use https://host/path, ssh://host/path, "
            "git@host:path, or the path of a folder on this machine"
        )
    return text


def host_of(address: str) -> str | None:
    """Of http, https, ssh and [user@]host:path, where nothing in it can be taken for an option; None for all else."""
    if _NO_TEXT.search(address):
        return None
    if "://" not in address:
        found = _AS_SCP_OR_ALIAS.fullmatch(address)
        return None if found is None or "::" in address else found.group("host").lower()
    try:
        parts = urlsplit(address)
        host, path = parts.hostname or "", parts.path
        parts.port  # noqa: B018 - it raises where the port is none
    except ValueError:
        return None
    is_sound = parts.scheme in ("http", "https", "ssh") and not parts.netloc.startswith("-") and path not in ("", "/")
    return host if is_sound and re.fullmatch(_HOST, host) else None


def name_of(address: str) -> str:
    """`rules` of https://example.org/games/rules.git."""
    return re.split(r"[/:]", address.rstrip("/").removesuffix(".git").rstrip("/"))[-1]


def is_bare(folder: Path) -> bool:
    """A repository without a work tree: there is nothing in it to walk through."""
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()


class Clones:
    """Kept from one call to the next, each under the hash of its address."""

    def __init__(self, folder: Path, *, rights: FileRights = FileRights.PRIVATE) -> None:
        self._folder = folder
        self._rights = rights

    def brought_up_to_date(self, address: str) -> Path:
        """Where the newest version is, without the contents behind LFS pointers. Raises SourceUnreadable."""
        clone = self._folder / hashlib.sha256(address.encode("utf-8", "surrogateescape")).hexdigest()[:24]
        try:
            durable_files.make_folders(self._folder, rights=self._rights, durable=False)
            with _alone(clone.with_suffix(".lock")):
                if clone.is_dir():
                    newest = ("origin", "HEAD")
                    _git(
                        address, "-C", str(clone), "fetch", "--depth=1", "--no-tags", "--no-recurse-submodules", *newest
                    )
                    _check_out(address, clone, "FETCH_HEAD")
                else:
                    _clone(address, clone)
        except OSError as error:
            raise SourceUnreadable(
                f"{shown_address(address)} cannot be cloned into {clone}: {error.strerror or error}"
            ) from error
        return clone


def _clone(address: str, clone: Path) -> None:
    """Beside its place first: what was interrupted is not taken for a clone."""
    arriving = clone.with_suffix(".arriving")
    untrusted_tree.remove(arriving)
    settings = [part for setting in _SAFE for part in ("--config", setting)]
    # --no-local: what is read from a folder goes through the same checks as what comes from afar.
    options = ["--quiet", "--depth=1", "--no-checkout", "--no-recurse-submodules", "--no-tags", "--no-local", *settings]
    try:
        _git(address, "clone", *options, "--", address, str(arriving))
        _check_out(address, arriving, "HEAD")
        arriving.replace(clone)
    finally:
        untrusted_tree.remove(arriving)


def _check_out(address: str, clone: Path, version: str) -> None:
    (clone / ".git" / "info").mkdir(exist_ok=True)
    (clone / ".git" / "info" / "attributes").write_text(_ATTRIBUTES)
    _git(address, "-C", str(clone), "reset", "--quiet", "--hard", "--no-recurse-submodules", version)


def _git(address: str, *args: str) -> None:
    """Raises SourceUnreadable."""
    protocols = "file" if os.path.isabs(address) else "https:ssh"  # noqa: PTH117 - an address is text
    environ = environment_for_git() | {"GIT_LFS_SKIP_SMUDGE": "1", "GIT_ALLOW_PROTOCOL": protocols}
    settings = [part for setting in _SAFE for part in ("-c", setting)]
    try:
        done = subprocess.run(
            ["git", *settings, *args], env=environ, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except FileNotFoundError as error:
        raise SourceUnreadable(f"{shown_address(address)} needs git, which is not installed") from error
    if done.returncode != 0:
        reason = without_passwords(said(done.stderr))
        raise SourceUnreadable(f"{shown_address(address)} cannot be cloned: {reason}")


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Nobody else changes the clone meanwhile."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _is_url(text: str) -> bool:
    return text.startswith(("https://", "ssh://")) and host_of(text) is not None
