"""Where the contents of a repository's Git LFS are: which of its addresses we follow, and how they are fetched."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import SourceMissing
from blobforge.ingest.lfs_transfer import TransferBounds, smudge
from blobforge.ingest.processes import environment_for_git
from blobforge.ingest.repositories import host_of
from blobforge.ingest.work_trees import GitFolder, Settings
from blobforge.telemetry.safe_text import without_passwords

_REASON = re.compile(r"^.*: \[[0-9]+\] ")
"""What stands before the reason: the same name and hash, three times over."""
_FILE = "file://"


class LfsRemote(NamedTuple):
    """`lfs_url` is given where the contents are not at the usual place of the repository's server."""

    url: str
    lfs_url: str | None = None

    def folder(self) -> Path | None:
        """Of a remote on this machine, where its contents are looked for without git."""
        url = self.lfs_url or self.url
        if url.startswith(_FILE):
            return Path(unquote(urlsplit(url).path))
        return Path(url) if os.path.isabs(url) else None  # noqa: PTH117 - an address is text


def remote_of(repository: GitFolder) -> LfsRemote | None:
    """From which git would fetch; None for a repository without any. Raises SourceMissing for what we do not follow."""
    settings = repository.settings()
    name = _remote_name(repository, settings)
    url = None if name is None else settings.get(f"remote.{name}.url")
    if not url:
        return None
    if not _is_address(url) and not url.startswith(_FILE) and repository.work_tree is not None:
        url = os.path.normpath(repository.work_tree / url)
    lfs_url = (
        settings.get("lfs.url") or settings.get(f"remote.{name}.lfsurl") or repository.lfs_settings().get("lfs.url")
    )
    remote = LfsRemote(url, lfs_url or None)
    if remote.folder() is None:
        _check(remote)
    return remote


def download(remote: LfsRemote, text: bytes, target: Path, *, size: int, stopped: Callable[[], bool]) -> str:
    """Asks the server for what the text of a pointer names, of this size. Why nothing came, if nothing came.

    Raises SourceMissing, Interrupted.
    """
    with TemporaryDirectory(prefix="blobforge-git-") as scratch:
        _make_repository(Path(scratch), remote)
        # In no work tree of anybody: no hook, filter, agent or attribute of the folder is in reach.
        command = ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "lfs", "smudge"]
        environ = environment_for_git() | {"GIT_DIR": scratch, "GIT_ALLOW_PROTOCOL": "http:https:ssh"}
        reason = smudge(
            command, text, target, scratch=Path(scratch), environ=environ, bounds=TransferBounds(size, stopped)
        )
    return _REASON.sub("", without_passwords(reason))


def _remote_name(repository: GitFolder, settings: Settings) -> str | None:
    """As Git LFS chooses: the branch's, or `origin`, or the only one."""
    names = dict.fromkeys(_remotes(settings))
    branch = repository.branch()
    for name in (settings.get(f"branch.{branch}.remote"), settings.get("remote.lfsdefault"), "origin"):
        if name is not None and name in names:
            return name
    return next(iter(names), None)


def _remotes(settings: Settings) -> Iterator[str]:
    for key in settings:
        if key.startswith("remote.") and key.endswith(".url"):
            yield key.removeprefix("remote.").removesuffix(".url")


def _is_address(url: str) -> bool:
    return "::" in url or "://" in url or host_of(url) is not None


def _check(remote: LfsRemote) -> None:
    """The folder decides neither by which program nor, beside its own server, from whom something is fetched."""
    host = host_of(remote.url)
    if host is None:
        raise SourceMissing(
            f"it is not fetched from {shown_address(remote.url)}, which is no https, http or ssh address; "
            "`git lfs pull` there gets it, if you trust that repository"
        )
    if remote.lfs_url is not None and host_of(remote.lfs_url) != host:
        raise SourceMissing(
            f"it is not fetched from {shown_address(remote.lfs_url)}, which is another server than the "
            f"repository's own; `git lfs pull` there gets it, if you trust that repository"
        )


def _make_repository(scratch: Path, remote: LfsRemote) -> None:
    """An empty one with this remote. By hand: `git init` would copy hooks from a template."""
    for name in ("objects", "refs"):
        (scratch / name).mkdir()
    (scratch / "HEAD").write_text("ref: refs/heads/main\n")
    lines = [
        "[core]",
        "bare = true",
        "repositoryformatversion = 0",
        '[remote "origin"]',
        f"url = {_quoted(remote.url)}",
    ]
    if remote.lfs_url is not None:
        lines += ["[lfs]", f"url = {_quoted(remote.lfs_url)}"]
    (scratch / "config").write_text("\n".join([*lines, ""]), "utf-8", "surrogateescape")


def _quoted(value: str) -> str:
    """Checked addresses have no line ends."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
