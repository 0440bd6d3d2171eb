"""Asks whether anything that is locked for users has known vulnerabilities, and says what it could not ask about."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

LOCKS = Path(__file__).parents[1] / "requirements"
AUDITED = ("build.txt", "runtime.txt", "workers.txt", "lab.txt")
ACCEPTED: Mapping[str, str] = {}
"""Vulnerabilities that concern nobody here, by id, with the reason."""


class Audit(NamedTuple):
    asked: int
    unknown: Sequence[str]
    """Packages of which the service knew nothing."""
    vulnerable: Sequence[str]


def main() -> int:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes", "--progress-spinner", "off"),
            *("--format", "json", *(part for name in AUDITED for part in ("--requirement", str(LOCKS / name)))),
        ],
        check=False,
        capture_output=True,
        text=True,
    )
    return told(done.stdout, done.stderr)


def told(out: str, err: str) -> int:
    """pip-audit ends with 1 for a vulnerability and for an error alike, and well where it could ask about nothing."""
    try:
        audit = judged(json.loads(out)["dependencies"])
    except (ValueError, KeyError):
        reason = err.strip().splitlines()[-1] if err.strip() else "it said nothing"
        print(f"not audited, for pip-audit did not come to an end: {reason}", file=sys.stderr)
        return 0
    if len(audit.unknown) == audit.asked:
        print("not audited, for the service with the vulnerabilities does not answer", file=sys.stderr)
        return 0
    if audit.unknown:
        print(f"not audited, for nothing is known of them: {', '.join(audit.unknown)}", file=sys.stderr)
    for line in audit.vulnerable:
        print(line, file=sys.stderr)
    if not audit.vulnerable:
        print(f"{audit.asked - len(audit.unknown)} locked packages without a known vulnerability")
    return 1 if audit.vulnerable else 0


def judged(dependencies: Sequence[Mapping[str, Any]]) -> Audit:
    return Audit(
        asked=len(dependencies),
        unknown=[found["name"] for found in dependencies if "skip_reason" in found],
        vulnerable=[
            f"{found['name']} {found['version']}: {flaw['id']}, mended in {_listed(flaw['fix_versions'])}"
            for found in dependencies
            for flaw in found.get("vulns", ())
            if not {flaw["id"], *flaw.get("aliases", ())} & set(ACCEPTED)
        ],
    )


def _listed(versions: Sequence[str]) -> str:
    return ", ".join(versions) or "no release"


if __name__ == "__main__":
    sys.exit(main())
