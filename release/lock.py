"""Locks the dependencies with hashes and without the address of any index; `--check` changes nothing and tells whether
every lock is what pyproject.toml asks for, and whether every extra can be installed at all."""

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LOCKS = ROOT / "requirements"
OF_WORKERS = ("s3", "postgres", "liteparse", "metrics", "server")
"""Extras of whoever runs workers on any queue, or a server: what `make setup` and the container install."""
_WITH_THEM = [part for extra in OF_WORKERS for part in ("--extra", extra)]
SETS: dict[str, list[str]] = {
    "build.txt": ["requirements/build.in"],
    "runtime.txt": ["pyproject.toml"],
    "workers.txt": ["pyproject.toml", *_WITH_THEM, "--constraint", "requirements/runtime.txt"],
    "lab.txt": ["pyproject.toml", "--extra", "lab", "--constraint", "requirements/workers.txt"],
    "dev.txt": ["pyproject.toml", *_WITH_THEM, "--group", "dev", "--constraint", "requirements/workers.txt"],
    "docs.txt": ["pyproject.toml", "--group", "docs", "--constraint", "requirements/dev.txt"],
    "bench.txt": ["pyproject.toml", "--group", "bench", "--constraint", "requirements/dev.txt"],
    "release.txt": ["pyproject.toml", "--group", "release", "--constraint", "requirements/dev.txt"],
}
# Without its extra a pin does not hold for what asks for the extra: pip then takes the newest and finds no hash for it.
WITH_HASHES = ("--generate-hashes", "--no-strip-extras", "--no-emit-index-url", "--no-header")
AT_ONCE = 4
NO_ANSWER = "Failed to fetch"
"""How uv says that it did not reach the index; what the index answers, even that it has no such package, it judges."""


class Finding(NamedTuple):
    what: str
    trouble: str
    is_no_answer: bool = False


def compiled(inputs: list[str], *more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [
            *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", *inputs),
            *("--universal", "--python-version", "3.11", *more),
        ],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )


def lock() -> int:
    for name, inputs in SETS.items():
        done = compiled(inputs, *WITH_HASHES, "--upgrade", "--output-file", str(LOCKS / name))
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            return 1
    return 0


def check() -> int:
    """0 also where nobody answered, which is said: a check that needs others must not stop work without them."""
    with ThreadPoolExecutor(AT_ONCE) as pool, TemporaryDirectory() as folder:
        looks: list[Callable[[], Finding | None]] = [
            *(lambda name=name: _stale(name, Path(folder)) for name in SETS),
            *(lambda extra=extra: _unresolved(extra) for extra in extras()),
        ]
        found = [finding for finding in pool.map(lambda look: look(), looks) if finding is not None]
    return told(found, len(looks))


def told(found: Iterable[Finding], looks: int) -> int:
    unanswered = [finding for finding in found if finding.is_no_answer]
    wrong = [finding for finding in found if not finding.is_no_answer]
    if unanswered:
        names = ", ".join(finding.what for finding in unanswered)
        print(f"not checked, for the package index does not answer: {names}", file=sys.stderr)
    for finding in wrong:
        print(f"{finding.what}: {finding.trouble}", file=sys.stderr)
    if not wrong and not unanswered:
        print(f"{looks} locks and extras: all of them can be installed and are up to date")
    return 1 if wrong else 0


def extras() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return sorted(project["optional-dependencies"])


def _stale(name: str, folder: Path) -> Finding | None:
    """Compiled anew over what is locked, nothing changes."""
    copy = folder / name
    shutil.copyfile(LOCKS / name, copy)
    done = compiled(SETS[name], *WITH_HASHES, "--output-file", str(copy))
    if done.returncode:
        return _trouble(f"requirements/{name}", done.stderr)
    if copy.read_bytes() != (LOCKS / name).read_bytes():
        return Finding(f"requirements/{name}", "it is not what pyproject.toml asks for; run make lock")
    return None


def _unresolved(extra: str) -> Finding | None:
    done = compiled(["pyproject.toml", "--extra", extra])
    return _trouble(f"blobforge[{extra}]", done.stderr) if done.returncode else None


def _trouble(what: str, said: str) -> Finding:
    return Finding(what, said.strip(), is_no_answer=NO_ANSWER in said)


if __name__ == "__main__":
    sys.exit(check() if "--check" in sys.argv[1:] else lock())
