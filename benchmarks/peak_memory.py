"""Converts one document in this process and prints the peak memory of itself and of its largest child, in MB."""

import resource
import sys

from blobforge.cli.main import run


def main() -> None:
    source, out = sys.argv[1:]
    code = run(["convert", source, "-o", out, "--jobs", "2"])
    if code:
        sys.exit(code)
    scale = 1024 if sys.platform != "darwin" else 1024 * 1024
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        print(resource.getrusage(who).ru_maxrss / scale)


if __name__ == "__main__":
    main()
