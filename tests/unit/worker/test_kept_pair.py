"""Whether a worker still has the store of its queue."""

import pytest

from blobforge.domain.errors import StoreMismatch, StoreUnavailable
from blobforge.worker.kept_pair import VALID_FOR_SECONDS, KeptPair


class Asked:
    def __init__(self) -> None:
        self.now = 100.0
        self.times = 0
        self.is_confirmed_elsewhere = False
        self.pair = KeptPair(self, monotonic=lambda: self.now)

    def __call__(self) -> None:
        self.times += 1
        if self.is_confirmed_elsewhere:
            raise StoreMismatch("others use it with another store")


def test_many_results_in_a_second_ask_once() -> None:
    asked = Asked()

    for _ in range(5):
        asked.pair.require()

    assert asked.times == 1


def test_another_store_is_noticed_a_second_later() -> None:
    asked = Asked()
    asked.pair.require()
    asked.is_confirmed_elsewhere = True
    asked.now += VALID_FOR_SECONDS

    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="others use it with another store"):
            asked.pair.require()


def test_before_a_document_counts_as_missing_it_is_asked_now() -> None:
    asked = Asked()
    asked.pair.require()
    asked.is_confirmed_elsewhere = True

    with pytest.raises(StoreUnavailable):
        asked.pair.require_now()
