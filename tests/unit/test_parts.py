"""Tests that need a part of the system are left out without it, unless every part is required."""

import pytest
from tests import parts

from blobforge.worker.sandbox import kernel
from blobforge.worker.sandbox.support import SandboxSupport

LEFT_OUT, FAILED = pytest.skip.Exception, pytest.fail.Exception


@pytest.fixture(params=["", "all"], ids=["as it is", "all required"])
def outcome(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[BaseException]:
    """What is to become of a test whose part is missing."""
    monkeypatch.setenv(parts.REQUIRE, request.param)
    return FAILED if request.param == "all" else LEFT_OUT


def test_a_program_that_is_not_installed_is_a_part(outcome: type[BaseException]) -> None:
    with pytest.raises(outcome, match="nonsuch is not installed"):
        parts.needs("nonsuch")


def test_the_sandbox_of_a_kernel_is_a_part(outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "is_known", lambda: True)
    monkeypatch.setattr(parts, "sandbox_support", lambda: SandboxSupport(landlock=0, seccomp=True))

    with pytest.raises(outcome, match="has no Landlock"):
        parts.needs("sandbox")


def test_a_system_that_cannot_have_a_sandbox_lacks_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(parts.REQUIRE, "all")
    monkeypatch.setattr(kernel, "is_known", lambda: False)
    monkeypatch.setattr(parts, "sandbox_support", lambda: SandboxSupport(landlock=0, seccomp=False))

    with pytest.raises(LEFT_OUT, match="on Linux alone"):
        parts.needs("sandbox")
