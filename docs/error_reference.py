"""The reference of error codes, from src/blobforge/domain/errors."""

from collections.abc import Iterator

from blobforge.domain.error_codes import all_errors
from blobforge.domain.errors import BlobForgeError

INTRODUCTION = """\
# Error codes

<!-- Made by docs/generate_reference.py from src/blobforge/domain/errors; changes belong there. -->

A code is stable: programs may rely on it. It stands in `--json`, in `info.json` for a page, and in a job's record.
*Tried again* means that a job that fails so has another attempt, up to three in all.
"""


def render() -> str:
    return INTRODUCTION + "\n| code | tried again | meaning |\n|---|---|---|\n" + "".join(_rows())


def _rows() -> Iterator[str]:
    for code, error in sorted(all_errors().items()):
        if error is not BlobForgeError:
            meaning = (error.__doc__ or "").partition("\n")[0]
            yield f"| `{code}` | {'yes' if error.retryable else 'no'} | {meaning} |\n"
