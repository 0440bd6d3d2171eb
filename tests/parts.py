"""The real parts that some tests need: left out where they are missing, unless everything is required."""

import os
import shutil
from typing import NoReturn

import pytest

REQUIRE = "BLOBFORGE_TEST_REQUIRE"


def requires(program: str) -> str:
    """Where a program is. Skips the test where it is not, or fails it when BLOBFORGE_TEST_REQUIRE=all."""
    return shutil.which(program) or is_missing(f"{program} is not installed")


def is_missing(reason: str) -> NoReturn:
    """Ends the test for want of a part: by skipping it, or by failing it when BLOBFORGE_TEST_REQUIRE=all."""
    if os.environ.get(REQUIRE) == "all":
        pytest.fail(f"{reason}, and {REQUIRE}=all asks for it", pytrace=False)
    pytest.skip(reason)
