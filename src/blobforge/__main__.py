"""The program `blobforge`, also as `python -m blobforge`: Ctrl-C while it is still loading is told as any other."""

import sys
from typing import NoReturn

_INTERRUPTED = 130
"""As `cli/exit_codes` has it, which may be what is being loaded."""


def main() -> NoReturn:
    try:
        from blobforge.cli.main import main as run
    except KeyboardInterrupt:
        if "--json" in sys.argv:
            sys.stdout.write('{"error": {"code": "interrupted", "message": "interrupted"}}\n')
        else:
            sys.stderr.write("error: interrupted [interrupted]\n")
        sys.exit(_INTERRUPTED)
    run()


if __name__ == "__main__":
    main()
