"""A counter in a bucket, right and wrong: what the harness itself is tried on."""

from tests.proof.puppet import Play, Seat

from blobforge.domain.errors import StoreUnavailable
from blobforge.objectstore.client import Only, StoredObject

COUNTER = "counter"


def counts_with_a_condition(seat: Seat) -> None:
    """Right: it writes only over what it has read, and looks whether it is counted already."""
    while True:
        before = _read(seat)
        names = before.body.decode().split()
        if seat.name in names:
            break
        if seat.objects.put(COUNTER, " ".join([*names, seat.name]).encode(), only=Only(if_etag=before.etag)):
            break
    seat.note("counted", None)


def counts_and_forgets(seat: Seat) -> None:
    """Wrong after a lost reply only: it does not look whether it is counted already."""
    while True:
        before = _read(seat)
        if seat.objects.put(COUNTER, before.body + f" {seat.name}".encode(), only=Only(if_etag=before.etag)):
            break
    seat.note("counted", None)


def counts_without_a_condition(seat: Seat) -> None:
    """Wrong always: what another one counted in between is overwritten."""
    seat.objects.put(COUNTER, _read(seat).body + f" {seat.name}".encode())
    seat.note("counted", None)


def giving_up(play: Play) -> Play:
    """The same, by one who ends quietly when the store is gone."""

    def until_the_store_is_gone(seat: Seat) -> None:
        try:
            play(seat)
        except StoreUnavailable:
            seat.note("gave up", None)

    return until_the_store_is_gone


def _read(seat: Seat) -> StoredObject:
    there = seat.objects.get(COUNTER)
    assert there is not None
    return there
