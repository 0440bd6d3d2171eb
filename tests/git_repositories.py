"""Real repositories on this machine, with contents in Git LFS or without."""

import os
import subprocess
from pathlib import Path


def git(folder: Path, *args: str, **env: str) -> str:
    """What git says. Nothing of the developer's own settings takes part."""
    own = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    done = subprocess.run(
        ["git", *args], cwd=folder, env={**os.environ, **own, **env}, capture_output=True, text=True, check=True
    )
    return done.stdout


class Repository:
    """A bare one, as on a server, and a work tree from which it is filled."""

    def __init__(self, folder: Path, *, name: str = "rules.git") -> None:
        self.bare = folder / name
        self.tree = folder / f"{name} work"
        self.bare.mkdir(parents=True)
        git(self.bare, "init", "--quiet", "--bare", "--initial-branch=main")
        self.tree.mkdir()
        git(self.tree, "init", "--quiet", "--initial-branch=main")
        git(self.tree, "remote", "add", "origin", str(self.bare))

    def use_lfs(self) -> None:
        """For PDFs, from now on."""
        git(self.tree, "lfs", "install", "--local")
        (self.tree / ".gitattributes").write_text("*.pdf filter=lfs diff=lfs merge=lfs -text\n")

    def push(self) -> None:
        git(self.tree, "add", "--all")
        git(self.tree, "commit", "--quiet", "--message", "more", "--allow-empty")
        git(self.tree, "push", "--quiet", "origin", "HEAD:main")

    def clone(self, target: Path) -> Path:
        """With pointers in the place of what is in Git LFS, as people do who have little room."""
        git(target.parent, "clone", "--quiet", str(self.bare), str(target), GIT_LFS_SKIP_SMUDGE="1")
        git(target, "lfs", "install", "--local", "--skip-smudge")
        return target
