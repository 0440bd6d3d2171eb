"""The engines that can be installed here keep the promises of all."""

from pathlib import Path

import pytest

from blobforge.processors.pdf_markdown.engines import registry
from blobforge.processors.pdf_markdown.engines.engine import Engine
from blobforge.testing.engine_contract import EngineContract

RULEBOOK = Path(__file__).parents[2] / "examples" / "library" / "rulebook.pdf"


class _OverTheRulebook(EngineContract):
    @pytest.fixture
    def path(self) -> Path:
        return RULEBOOK


class TestOurs(_OverTheRulebook):
    @pytest.fixture
    def engine(self) -> Engine:
        return registry.engine_class(registry.OURS)()


class TestLiteparse(_OverTheRulebook):
    @pytest.fixture
    def engine(self) -> Engine:
        return registry.engine_class("liteparse")()
