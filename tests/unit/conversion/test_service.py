"""Conversions that are stopped before the work has begun; tests/e2e has all others."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.pdfs import text_pdf

from blobforge import wiring
from blobforge.cli.progress import SilentDisplay
from blobforge.config.settings import Settings
from blobforge.conversion.service import ConversionRequest, ConversionService


class Impatient(SilentDisplay):
    """Stops the run as soon as it is shown."""

    conversion: ConversionService | None = None

    def begin(self, *, documents: int, size: int) -> None:
        assert self.conversion is not None
        self.conversion.stop()


@pytest.fixture
def impatient() -> Impatient:
    return Impatient()


@pytest.fixture
def conversion(tmp_path: Path, impatient: Impatient) -> Iterator[ConversionService]:
    conversion, close = wiring.open_conversion(Settings(home=tmp_path / "home"), display=impatient)
    impatient.conversion = conversion
    yield conversion
    close()


@pytest.fixture
def asked(tmp_path: Path) -> ConversionRequest:
    text_pdf(tmp_path / "docs" / "one.pdf")
    return ConversionRequest(paths=[tmp_path / "docs"], out=tmp_path / "out", options={})


def test_a_stop_while_the_workshop_is_opened_leaves_all_for_the_next_run(
    conversion: ConversionService, asked: ConversionRequest, tmp_path: Path
) -> None:
    account = conversion.run(asked)

    assert (account.interrupted, account.documents, account.left) == (True, [], 1)
    assert list((tmp_path / "home" / "workers").iterdir()) == []


def test_a_stop_before_the_scan_ends_the_scan(
    conversion: ConversionService, asked: ConversionRequest, tmp_path: Path
) -> None:
    conversion.stop()

    account = conversion.run(asked)

    assert (account.interrupted, account.documents) == (True, [])
    assert not (tmp_path / "out").exists()
