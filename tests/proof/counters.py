"""A counter in a bucket, right and wrong: what the harness itself is tried on."""

from tests.proof.stepper import ActorContext, Script

from blobforge.domain.errors import StoreUnavailable
from blobforge.objectstore.client import Only, StoredObject

COUNTER = "counter"


def counts_with_a_condition(context: ActorContext) -> None:
    """Right: it writes only over what it has read, and looks whether it is counted already."""
    while True:
        before = _read(context)
        names = before.body.decode().split()
        if context.name in names:
            break
        if context.objects.put(COUNTER, " ".join([*names, context.name]).encode(), only=Only(if_etag=before.etag)):
            break
    context.note("counted", None)


def counts_and_forgets(context: ActorContext) -> None:
    """Wrong after a lost reply only: it does not look whether it is counted already."""
    while True:
        before = _read(context)
        if context.objects.put(COUNTER, before.body + f" {context.name}".encode(), only=Only(if_etag=before.etag)):
            break
    context.note("counted", None)


def counts_without_a_condition(context: ActorContext) -> None:
    """Wrong always: what another one counted in between is overwritten."""
    context.objects.put(COUNTER, _read(context).body + f" {context.name}".encode())
    context.note("counted", None)


def giving_up(script: Script) -> Script:
    """The same, by one who ends quietly when the store is gone."""

    def until_the_store_is_gone(context: ActorContext) -> None:
        try:
            script(context)
        except StoreUnavailable:
            context.note("gave up", None)

    return until_the_store_is_gone


def _read(context: ActorContext) -> StoredObject:
    there = context.objects.get(COUNTER)
    assert there is not None
    return there
