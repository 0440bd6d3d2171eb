"""What a child gets of its parent's environment, and how it counts its memory."""

from pathlib import Path

import pytest

from blobforge.worker.limits import child_environment, peak_memory

NEEDED = {
    "PATH": "/bin",
    "HOME": "/root",
    "LC_ALL": "C.UTF-8",
    "PYTHONPATH": "/src",
    "OMP_NUM_THREADS": "1",
    "HF_HOME": "/models",
    "TESSDATA_PREFIX": "/tessdata",
    "https_proxy": "http://proxy:3128",
}
SECRET = {
    "AWS_SECRET_ACCESS_KEY": "x",
    "BLOBFORGE_WORKER_SECRET": "x",
    "BLOBFORGE_QUEUE": "postgresql://user:x@host/db",
    "HF_TOKEN": "x",
    "DATABASE_PASSWORD": "x",
    "PYTHON_AUTH": "x",
    "XDG_CREDENTIALS": "x",
    "SOMETHING_ELSE": "x",
}


def test_a_child_gets_what_it_needs_and_nothing_else() -> None:
    assert child_environment({**NEEDED, **SECRET}) == NEEDED


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("http://user:password@proxy:3128", "http://proxy:3128"),
        ("http://user:p@ss/word@proxy:3128/", "http://proxy:3128/"),
        ("http://token@proxy", "http://proxy"),
    ],
)
def test_a_proxy_keeps_its_address_and_loses_its_password(given: str, kept: str) -> None:
    assert child_environment({"HTTP_PROXY": given}) == {"HTTP_PROXY": kept}


def test_the_peak_counts_what_was_held() -> None:
    before = peak_memory()
    ballast = bytearray(b"\1") * (before + 50_000_000)

    assert peak_memory() > len(ballast)


@pytest.mark.parametrize(("system", "unit"), [("Linux", 1024), ("Darwin", 1)])
def test_without_proc_the_system_is_asked_in_its_own_unit(
    monkeypatch: pytest.MonkeyPatch, system: str, unit: int
) -> None:
    def nothing(*_: object, **__: object) -> str:
        raise FileNotFoundError

    class Usage:
        ru_maxrss = 7

    class System:
        sysname = system

    monkeypatch.setattr(Path, "read_text", nothing)
    monkeypatch.setattr("resource.getrusage", lambda _: Usage)
    monkeypatch.setattr("os.uname", lambda: System)

    assert peak_memory() == 7 * unit
