"""What a queue stores beside jobs: its identity, and the service records of workers."""

import threading
from dataclasses import replace

from blobforge.domain.pairing import QueueIdentity
from blobforge.domain.service_record import ServiceRecord
from blobforge.ports.job_store import JobStore
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import OpenStore

OURS, THEIRS = QueueIdentity("a1", "file:///srv/blobs"), QueueIdentity("b2", "s3://elsewhere/")
LATE = QueueIdentity("c3", "file:///late")


def one_more(record: ServiceRecord) -> ServiceRecord:
    return replace(record, completed=record.completed + 1)


class RegistryContract:
    def test_a_queue_keeps_the_first_identity_that_it_is_given(self, open_store: OpenStore) -> None:
        ours, theirs = open_store(), open_store()
        assert ours.identity() is None

        assert ours.identity(OURS) == OURS
        assert theirs.identity(THEIRS) == OURS

        assert (ours.identity(), theirs.identity()) == (OURS, OURS)

    def test_an_identity_is_superseded_only_by_a_caller_that_knew_the_one_before(self, open_store: OpenStore) -> None:
        ours, theirs = open_store(), open_store()
        ours.identity(OURS)

        assert ours.identity(THEIRS, instead_of=OURS) == THEIRS
        assert theirs.identity(LATE, instead_of=OURS) == THEIRS

        assert (ours.identity(), theirs.identity()) == (THEIRS, THEIRS)

    def test_of_two_that_supersede_the_same_identity_one_does(self, open_store: OpenStore) -> None:
        open_store().identity(OURS)
        stores = {proposed: open_store() for proposed in (THEIRS, LATE)}
        both_are_ready = threading.Barrier(2)
        kept: list[QueueIdentity | None] = []

        def supersede(proposed: QueueIdentity) -> None:
            both_are_ready.wait(timeout=10)
            kept.append(stores[proposed].identity(proposed, instead_of=OURS))

        threads = [threading.Thread(target=supersede, args=(proposed,)) for proposed in stores]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert kept == [open_store().identity()] * 2
        assert kept[0] in stores

    def test_the_record_of_a_worker_outlives_it_by_its_name(self, open_store: OpenStore) -> None:
        name = "rack 4/ä"
        first, second = ServiceRecord(since=START, failed=2, recent={29_000_000: 3}), ServiceRecord(completed=1)

        kept = open_store().change_record(name, lambda before: replace(first, completed=before.completed), now=START)
        open_store().change_record("another", lambda _: second, now=START)

        assert kept == first
        assert open_store().records() == {name: first, "another": second}

    def test_no_change_of_a_record_is_lost(self, open_store: OpenStore) -> None:
        stores = [open_store() for _ in range(2)]
        both_have_read = threading.Barrier(2)

        def change(record: ServiceRecord) -> ServiceRecord:
            # A store that serialises the changes lets one wait alone, which is as good.
            try:
                both_have_read.wait(timeout=0.3)
            except threading.BrokenBarrierError:
                both_have_read.abort()
            return one_more(record)

        def add(store: JobStore) -> None:
            store.change_record("desk", change, now=START)

        threads = [threading.Thread(target=add, args=(store,)) for store in stores]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert stores[0].records()["desk"].completed == 2
