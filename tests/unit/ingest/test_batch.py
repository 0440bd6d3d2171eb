"""Things that are done together."""

from blobforge.ingest.batch import Batch


def test_a_batch_is_due_when_it_is_full() -> None:
    batch: Batch[int] = Batch(limit=2, seconds=5, clock=lambda: 0.0)

    batch.add(1)
    assert not batch.is_due()
    batch.add(2)

    assert batch.is_due()
    assert batch.take() == [1, 2]
    assert not batch.is_due()


def test_nothing_waits_for_longer_than_its_seconds() -> None:
    now = 100.0
    batch: Batch[int] = Batch(limit=100, seconds=5, clock=lambda: now)
    batch.add(1)
    now = 104.0
    batch.add(2)
    assert not batch.is_due()

    now = 105.0

    assert batch.is_due()


def test_an_empty_batch_is_never_due() -> None:
    batch: Batch[int] = Batch(limit=0, seconds=0, clock=lambda: 0.0)

    assert not batch.is_due()
    assert batch.take() == []
