"""The Git work tree of a file, read from the file system alone: git never runs under a folder's own settings."""

import os
import stat as modes
import subprocess
from pathlib import Path
from typing import NamedTuple

from blobforge.domain.errors import SourceMissing
from blobforge.ingest.processes import environment_for_git, said

_LARGEST = 1 << 20
"""Files of git that we read are far smaller; and a hostile one would rather be endless."""

Settings = dict[str, str]
"""By names as git writes them: `remote.origin.url`. Of several values, the last one counts."""


class GitFolder(NamedTuple):
    """`own` is that of one work tree; `common` is what all work trees of a repository share."""

    own: Path
    common: Path
    work_tree: Path | None = None

    def settings(self) -> Settings:
        """The settings of the folder: untrusted, to be read and not to be applied. Raises SourceMissing."""
        return settings_in(self.common / "config")

    def lfs_settings(self) -> Settings:
        """Those that are committed for everyone. Raises SourceMissing."""
        return {} if self.work_tree is None else settings_in(self.work_tree / ".lfsconfig")

    def branch(self) -> str | None:
        head = _text(self.own / "HEAD").strip()
        return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else None


def git_folder_around(path: str) -> GitFolder | None:
    """That of the work tree in which the file is, if any: a repository, one of its work trees, or a submodule."""
    folder = Path(os.path.dirname(os.path.abspath(path)))  # noqa: PTH100, PTH120 - as the name says, links and all
    for work_tree in (folder, *folder.parents):
        if (found := git_folder_of(work_tree)) is not None:
            return found
    return None


def git_folder_of(folder: Path) -> GitFolder | None:
    """Of the folder itself: a work tree with its `.git`, or a repository without one."""
    dot_git = folder / ".git"
    if _is_git_folder(dot_git):
        return GitFolder(dot_git, _common(dot_git), folder)
    elsewhere = _text(dot_git)
    if elsewhere.startswith("gitdir: "):
        own = folder / elsewhere.removeprefix("gitdir: ").rstrip("\n")
        if _is_git_folder(own):
            return GitFolder(own, _common(own), folder)
    return GitFolder(folder, folder) if _is_git_folder(folder) else None


def settings_in(path: Path) -> Settings:
    """Those of one file alone, without what it includes; none where there is no such file. Raises SourceMissing."""
    content = _bytes(path)
    if not content:
        return {}
    try:
        # By its input: git then knows of no folder, and reads the settings of none.
        done = subprocess.run(
            ["git", "config", "--file", "-", "--no-includes", "--null", "--list"],
            env=environment_for_git() | {"GIT_DIR": os.devnull},
            cwd="/",
            input=content,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise SourceMissing("git is not installed") from error
    if done.returncode != 0:
        raise SourceMissing(f"the settings in {path} cannot be read: {said(done.stderr)}")
    entries = (os.fsdecode(entry).partition("\n") for entry in done.stdout.split(b"\0") if entry)
    return {name: value for name, _, value in entries}


def _is_git_folder(folder: Path) -> bool:
    try:
        return (folder / "HEAD").is_file() and ((folder / "objects").is_dir() or (folder / "commondir").is_file())
    except OSError:
        return False


def _common(own: Path) -> Path:
    elsewhere = _text(own / "commondir").rstrip("\n")
    return own / elsewhere if elsewhere else own


def _text(path: Path) -> str:
    return os.fsdecode(_bytes(path))


def _bytes(path: Path) -> bytes:
    """Nothing for what is not there, no file, or cannot be one of git's."""
    try:
        facts = path.stat()
        if not modes.S_ISREG(facts.st_mode) or facts.st_size > _LARGEST:
            return b""
        return path.read_bytes()
    except (OSError, ValueError):
        # ValueError: a name with a zero byte in it.
        return b""
