"""Builds what is released into dist/: the sdist, the wheel, a CycloneDX bill of materials of what the wheel is locked
to, and the hashes of them all. What was built is checked, and the wheel is tried before anything is said of it."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any

from blobforge.version import __version__
from release import trial

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements" / "runtime.txt"
SUMS = "SHA256SUMS"


def main(dist: Path) -> None:
    shutil.rmtree(dist, ignore_errors=True)
    _run("-m", "hatchling", "build", "-d", str(dist), "-t", "sdist", "-t", "wheel")
    built = sorted(dist.iterdir())
    _run("-m", "twine", "check", "--strict", *map(str, built))
    (wheel,) = (path for path in built if path.suffix == ".whl")
    _run("-m", "check_wheel_contents", str(wheel))
    trial.main(wheel)
    bill = dist / f"blobforge-{__version__}.cdx.json"
    text = json.dumps(bill_of_materials(built), indent=2) + "\n"
    _require_valid(text)
    bill.write_text(text, encoding="utf-8")
    files = [*built, bill]
    (dist / SUMS).write_text("".join(f"{_hash(path)}  {path.name}\n" for path in files), encoding="ascii")
    for path in files:
        print(f"{path.stat().st_size:>12,}  {path.relative_to(dist.parent)}")


def bill_of_materials(built: list[Path]) -> dict[str, Any]:
    """Every locked package with its hashes, and of BlobForge itself those of the files that were just built."""
    # It is validated when all is in it.
    told = _run(
        *("-m", "cyclonedx_py", "requirements", str(LOCK)),
        *("--pyproject", "pyproject.toml", "--output-reproducible", "--no-validate"),
    )
    bill: dict[str, Any] = json.loads(told)
    itself = bill["metadata"]["component"]
    itself["version"] = __version__
    itself["purl"] = f"pkg:pypi/blobforge@{__version__}"
    itself["externalReferences"] = [
        *itself.get("externalReferences", ()),
        *(
            {"type": "distribution", "url": path.name, "hashes": [{"alg": "SHA-256", "content": _hash(path)}]}
            for path in built
        ),
    ]
    _connect(bill)
    return bill


def _connect(bill: dict[str, Any]) -> None:
    """What BlobForge asks for itself, as opposed to what that brings along."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {re.split(r"[<>=~\[]", wanted)[0] for wanted in project["dependencies"]}
    itself = bill["metadata"]["component"]["bom-ref"]
    direct = [component["bom-ref"] for component in bill["components"] if component["name"] in asked]
    bill["dependencies"] = [
        {"ref": itself, "dependsOn": direct},
        *(entry for entry in bill["dependencies"] if entry["ref"] != itself),
    ]


def _require_valid(bill: str) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    flaw = JsonStrictValidator(SchemaVersion.from_version(json.loads(bill)["specVersion"])).validate_str(bill)
    if flaw is not None:
        raise SystemExit(f"the bill of materials is not valid CycloneDX: {flaw}")


def _run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def _hash(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main(ROOT / "dist")
