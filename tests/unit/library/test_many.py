"""Many documents, as far as it comes without a child."""

import asyncio
from concurrent.futures import Future
from contextlib import aclosing, closing

import pytest

from blobforge.domain.errors import SourceMissing
from blobforge.library.document import ConvertedDocument
from blobforge.library.many import Window, async_results, results
from blobforge.library.sources import DocumentSource


class Submitted:
    """A window of three on many documents: the first one fails at once, and nothing comes of the others."""

    def __init__(self) -> None:
        self.futures: list[Future[ConvertedDocument]] = []
        self.window = Window([f"{number}.pdf" for number in range(9)], self._submit, size=3)

    def _submit(self, _source: DocumentSource) -> "Future[ConvertedDocument]":
        future: Future[ConvertedDocument] = Future()
        if not self.futures:
            future.set_exception(SourceMissing("it is not there"))
        self.futures.append(future)
        return future

    @property
    def cancelled(self) -> list[bool]:
        return [future.cancelled() for future in self.futures]


@pytest.fixture
def submitted() -> Submitted:
    return Submitted()


def test_who_leaves_early_cancels_what_is_under_way(submitted: Submitted) -> None:
    with closing(results(submitted.window)) as found:  # type: ignore[type-var]
        assert next(found).index == 0
        before = submitted.cancelled

    assert before == [False] * 4
    assert submitted.cancelled == [False, True, True, True]


def test_so_does_who_leaves_the_async_form(submitted: Submitted) -> None:
    async def main() -> list[bool]:
        async with aclosing(async_results(submitted.window)) as found:  # type: ignore[type-var]
            assert (await anext(found)).index == 0
            return submitted.cancelled

    assert asyncio.run(main()) == [False] * 4
    assert submitted.cancelled == [False, True, True, True]
