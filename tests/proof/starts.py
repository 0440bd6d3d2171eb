"""The situations in which schedules begin, each made by the real queue."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from tests.proof import actors, dice
from tests.proof.explorer import PAUSE
from tests.proof.replay import Actor, Node
from tests.proof.rooms import OUT
from tests.proof.stepper import SLEEP, ActorContext, Heard, Script, is_away

from blobforge.testing.simulated_bucket import Contents, SimulatedBucket, performed, without
from blobforge.testing.simulated_client import S3Reply, S3Request


class Prepared(NamedTuple):
    contents: Contents
    now: datetime
    holder: Node | None = None
    """The position of the worker that holds the job."""


class Setting:
    """Plays one actor after the other, each to its end or to a place where it is left."""

    def __init__(self, holder: Actor | None = None) -> None:
        self.bucket = SimulatedBucket()
        self._holder = holder
        self._node: Node | None = None

    def run(self, name: str, script: Script) -> None:
        context = ActorContext(name, self.bucket.objects(), lambda _what, _value: None, lambda _: None)
        with dice.in_hand(f"before: {name}", self.bucket.now):
            script(context)

    def run_until(self, name: str, script: Script, stop: Callable[[S3Request], bool]) -> None:
        """Gone before the first such request."""
        walked = self._walk(Actor(name, script), stop)
        assert walked.request is not None, f"{name} never comes there"

    def claim(self, stop: Callable[[S3Request], bool] = lambda request: request.operation == SLEEP) -> None:
        """The holder claims the job, and is left at such a request."""
        assert self._holder is not None
        self._node = self._walk(self._holder, stop)
        assert self._node.request is not None, "the holder has claimed nothing"

    def pause(self) -> None:
        self.bucket.advance(PAUSE)

    def prepared(self) -> Prepared:
        return Prepared(self.bucket.contents, self.bucket.time, self._node)

    def _walk(self, actor: Actor, stop: Callable[[S3Request], bool]) -> Node:
        node = actor.root
        while node.request is not None and not stop(node.request):
            if is_away(node.request):
                reply = S3Reply(200, date=self.bucket.time)
            else:
                self.bucket.contents, reply = performed(self.bucket.contents, node.request, self.bucket.time)
            node = actor.after(node, Heard(reply, self.bucket.time))
        return node


def is_publishing(request: S3Request) -> bool:
    return request.operation == "put_object" and request.key.startswith(OUT)


def is_tidying(request: S3Request) -> bool:
    return bool(request.keys)


def nothing(setting: Setting) -> None:
    """The document was never submitted."""


def waiting(setting: Setting) -> None:
    setting.run("first ingest", actors.ingest)


def released(setting: Setting) -> None:
    waiting(setting)
    setting.run("earlier worker", actors.releases)


def failed(setting: Setting) -> None:
    waiting(setting)
    setting.run("earlier worker", actors.fails)


def failed_and_due(setting: Setting) -> None:
    failed(setting)
    setting.pause()


def failed_twice(setting: Setting) -> None:
    failed_and_due(setting)
    setting.run("earlier sweep", actors.sweep)
    setting.run("second worker", actors.fails)
    setting.pause()
    setting.run("second sweep", actors.sweep)


def dead(setting: Setting) -> None:
    waiting(setting)
    setting.run("earlier worker", actors.fails_for_good)


def dead_and_marked(setting: Setting) -> None:
    """The worker crashed between the record and the markers."""
    waiting(setting)
    setting.run_until("earlier worker", actors.fails_for_good, lambda request: "queue/dead/" in request.key)


def cancelled(setting: Setting) -> None:
    waiting(setting)
    setting.run("earlier cancel", actors.cancel)


def forgotten(setting: Setting) -> None:
    dead(setting)
    setting.run("earlier forget", actors.forget)


def done(setting: Setting) -> None:
    waiting(setting)
    setting.run("earlier worker", actors.succeeds)


def done_and_untidy(setting: Setting) -> None:
    """The worker crashed between publishing and removing left-overs."""
    waiting(setting)
    setting.run_until("earlier worker", actors.succeeds, is_tidying)


def done_and_marked(setting: Setting) -> None:
    """A late marker of a process that read before the job was completed."""
    waiting(setting)
    markers = {name: held for name, held in setting.bucket.contents.objects.items() if "/todo/" in name}
    setting.run("earlier worker", actors.succeeds)
    contents = setting.bucket.contents
    setting.bucket.contents = contents._replace(objects={**contents.objects, **markers})


def unmarked(setting: Setting) -> None:
    """Pending by its record, and its marker is gone."""
    released(setting)
    for name in list(setting.bucket.contents.objects):
        if "/todo/" in name:
            setting.bucket.contents = without(setting.bucket.contents, name)


def retried(setting: Setting) -> None:
    dead(setting)
    setting.run("earlier retry", actors.retry)


def run_again(setting: Setting) -> None:
    done(setting)
    setting.run("earlier retry", actors.retry)


def held(setting: Setting) -> None:
    waiting(setting)
    setting.claim()


def stale(setting: Setting) -> None:
    held(setting)
    setting.pause()


def last_try(setting: Setting) -> None:
    failed_twice(setting)
    setting.claim()


def last_try_and_stale(setting: Setting) -> None:
    last_try(setting)
    setting.pause()


def expired(setting: Setting) -> None:
    """The reaper has freed the job, and its worker does not know."""
    stale(setting)
    setting.run("earlier sweep", actors.sweep)


def cancelled_at_work(setting: Setting) -> None:
    held(setting)
    setting.run("earlier cancel", actors.cancel)


def retried_at_work(setting: Setting) -> None:
    cancelled_at_work(setting)
    setting.run("earlier retry", actors.retry)


def run_again_and_held(setting: Setting) -> None:
    run_again(setting)
    setting.claim()


def dead_again(setting: Setting) -> None:
    """It has the result of its first run, and the second one died."""
    run_again(setting)
    setting.run("second worker", actors.fails_for_good)


def run_again_and_stale(setting: Setting) -> None:
    run_again_and_held(setting)
    setting.pause()


def _named(*starts: Callable[[Setting], None]) -> dict[str, Callable[[Setting], None]]:
    return {start.__name__.replace("_", " "): start for start in starts}


ALONE = _named(
    *(nothing, waiting, released, failed, failed_and_due, failed_twice, dead, dead_and_marked, cancelled, forgotten),
    *(done, done_and_untidy, done_and_marked, unmarked, retried, run_again, dead_again),
)
WITH_A_HOLDER = _named(
    *(held, stale, last_try, last_try_and_stale, expired, cancelled_at_work, retried_at_work),
    *(run_again_and_held, run_again_and_stale),
)


def publishing_and_stale(setting: Setting) -> None:
    """About to publish, and frozen for longer than its lease."""
    waiting(setting)
    setting.claim(is_publishing)
    setting.pause()


def expired_while_publishing(setting: Setting) -> None:
    """The same, and the sweep has given the job back."""
    publishing_and_stale(setting)
    setting.run("earlier sweep", actors.sweep)


def retried_while_publishing(setting: Setting) -> None:
    """The same, and then it was cancelled and retried."""
    expired_while_publishing(setting)
    setting.run("earlier cancel", actors.cancel)
    setting.run("earlier retry", actors.retry)


LATE = _named(publishing_and_stale, expired_while_publishing, retried_while_publishing)
"""For holders that succeed: they may publish at any later time."""
