"""Whether a queue and a store belong together, by what both of them say."""

import pytest

from blobforge.domain.pairing import Evidence, KnownQueue, Pairing, QueueIdentity, judge, mark_body, read_mark

OURS, THEIRS = KnownQueue("a", "ours"), KnownQueue("b", "theirs")
BEGUN = OURS._replace(is_begun=True, instead_of="c")
IDENTITY = QueueIdentity("a", "file:///srv on desk")
FRESH = Evidence(has_jobs=False, has_documents=False, is_one_home=False)
USED = FRESH._replace(has_jobs=True)
UPGRADED = USED._replace(has_documents=True)
HOME = USED._replace(is_one_home=True)


@pytest.mark.parametrize(
    ("identity", "serves", "evidence", "expected"),
    [
        pytest.param(None, [], FRESH, Pairing.NEW, id="all is new"),
        pytest.param(IDENTITY, [OURS], USED, Pairing.KNOWN, id="used before"),
        pytest.param(IDENTITY, [THEIRS, OURS], USED, Pairing.KNOWN, id="one of several queues"),
        pytest.param(IDENTITY, [], FRESH, Pairing.OTHER_STORE, id="a second machine with its own store"),
        pytest.param(IDENTITY, [THEIRS], USED, Pairing.OTHER_STORE, id="the store of another queue"),
        pytest.param(None, [], UPGRADED, Pairing.NEW, id="of an older version, in its place"),
        pytest.param(None, [], USED, Pairing.OTHER_STORE, id="of an older version, on a second machine"),
        pytest.param(None, [THEIRS], FRESH, Pairing.OTHER_QUEUE, id="a new queue at an old store"),
        pytest.param(None, [THEIRS], UPGRADED, Pairing.NEW, id="two old queues that share a store"),
        pytest.param(None, [THEIRS], HOME, Pairing.NEW, id="a new queue at home"),
        pytest.param(None, [], HOME, Pairing.NEW, id="of an older version, at home"),
        pytest.param(IDENTITY, [], HOME, Pairing.OTHER_STORE, id="the store at home is away"),
        pytest.param(IDENTITY, [THEIRS], HOME, Pairing.OTHER_STORE, id="another store lies in its place at home"),
        pytest.param(None, [BEGUN], FRESH, Pairing.NEW, id="begun by a process that was killed"),
        pytest.param(None, [BEGUN, THEIRS], FRESH, Pairing.OTHER_QUEUE, id="begun at an old store"),
        pytest.param(None, [OURS], FRESH, Pairing.OTHER_QUEUE, id="a new queue at the place of an old one"),
        pytest.param(None, [THEIRS._replace(is_begun=True)], FRESH, Pairing.OTHER_QUEUE, id="begun by another queue"),
        pytest.param(None, [BEGUN], USED, Pairing.OTHER_STORE, id="begun, with jobs of an older version"),
        pytest.param(IDENTITY, [BEGUN], USED, Pairing.KNOWN, id="the queue has the identity already"),
        pytest.param(IDENTITY, [], HOME._replace(has_jobs=False), Pairing.NEW, id="a new store at home, nobody's loss"),
        pytest.param(IDENTITY, [], HOME._replace(has_documents=True), Pairing.NEW, id="only the mark is lost at home"),
    ],
)
def test_every_case_has_its_verdict(
    identity: QueueIdentity | None, serves: list[KnownQueue], evidence: Evidence, expected: Pairing
) -> None:
    assert judge(identity, serves, evidence, called="ours") is expected


def test_a_mark_is_read_as_it_was_written_and_nonsense_names_no_queue() -> None:
    assert read_mark(mark_body([OURS, THEIRS, BEGUN])) == [OURS, THEIRS, BEGUN]
    assert [read_mark(body) for body in (None, b"", b"[1]", b"\xff", b'{"queues": 7}')] == [[], [], [], [], []]
