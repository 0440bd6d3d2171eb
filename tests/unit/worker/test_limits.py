"""How a process counts its memory."""

from pathlib import Path

import pytest

from blobforge.worker.limits import peak_memory


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
