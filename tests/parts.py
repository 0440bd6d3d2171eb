"""The real parts that some tests need: left out where they are missing, unless everything is required."""

import os
import shutil
from typing import NoReturn

import pytest

from blobforge.worker.sandbox import kernel
from blobforge.worker.sandbox.support import sandbox_support

SANDBOX = "sandbox"
REQUIRE = "BLOBFORGE_TEST_REQUIRE"


def needs(part: str) -> None:
    """A program, or the sandbox, for which the kernel must have all."""
    if part == SANDBOX:
        _requires_sandbox()
    else:
        requires(part)


def requires(program: str) -> str:
    """Where a program is. Skips the test where it is not, or fails it when BLOBFORGE_TEST_REQUIRE=all."""
    return shutil.which(program) or is_missing(f"{program} is not installed")


def is_missing(reason: str) -> NoReturn:
    """Ends the test for want of a part: by skipping it, or by failing it when BLOBFORGE_TEST_REQUIRE=all."""
    if os.environ.get(REQUIRE) == "all":
        pytest.fail(f"{reason}, and {REQUIRE}=all asks for it", pytrace=False)
    pytest.skip(reason)


def _requires_sandbox() -> None:
    missing = sandbox_support().missing
    if missing and not kernel.is_known():
        pytest.skip(missing)  # nobody can install it there
    if missing:
        is_missing(missing)
