"""Slots: each is a thread with one warm child, all fed from one line of errands."""

import itertools
import queue
import threading
from collections.abc import Callable
from typing import NamedTuple, Protocol

from blobforge.domain.errors import ChildError, WorkGivenUp
from blobforge.ports.processor import Progress
from blobforge.worker.child import Child, ChildSpec
from blobforge.worker.messages import Reply, Request


class Errand(Protocol):
    """One thing for a child to do. All methods but `aborted` are called on the slot's thread."""

    @property
    def spec(self) -> ChildSpec: ...

    @property
    def aborted(self) -> bool: ...

    def prepare(self) -> tuple[Request, float] | None:
        """The request and how many seconds it may take; None when there is nothing to ask a child."""
        ...

    def progress(self, progress: Progress) -> None: ...

    def done(self, reply: Reply) -> None: ...

    def died(self, error: ChildError) -> None: ...

    def left(self) -> None:
        """The last call, once for each `prepare`: neither the slot nor a child is busy with it any more."""
        ...


class _Place(NamedTuple):
    """A place in the line: documents in the order of their claims, and their slices in order within."""

    rank: int
    number: int
    errand: Errand | None


class SlotPool:
    def __init__(self, count: int, *, on_fault: Callable[[BaseException], None]) -> None:
        self._line: queue.PriorityQueue[_Place] = queue.PriorityQueue()
        self._numbers = itertools.count()
        self._slots = [_Slot(self._line, on_fault, name=f"slot-{number}") for number in range(count)]

    def __len__(self) -> int:
        return len(self._slots)

    def start(self) -> None:
        for slot in self._slots:
            slot.start()

    def put(self, errand: Errand, *, rank: int) -> None:
        self._line.put(_Place(rank, next(self._numbers), errand))

    def kill_aborted(self) -> None:
        """Ends every child whose errand was aborted; the others go on."""
        for slot in self._slots:
            slot.kill_if_aborted()

    def close(self) -> None:
        """Ends all children and waits for the threads. Errands still in the line are dropped."""
        for slot in self._slots:
            slot.stop()
        for _ in self._slots:
            self._line.put(_Place(-1, next(self._numbers), None))
        for slot in self._slots:
            if slot.is_alive():
                slot.join()


class _Slot(threading.Thread):
    def __init__(
        self, line: "queue.PriorityQueue[_Place]", on_fault: Callable[[BaseException], None], *, name: str
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._line = line
        self._on_fault = on_fault
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._child_spec: ChildSpec | None = None
        self._errand: Errand | None = None
        self._stopping = False

    def run(self) -> None:
        while (errand := self._line.get().errand) is not None and not self._stopping:
            if errand.aborted:
                continue
            try:
                self._serve(errand)
            except BaseException as error:  # noqa: BLE001 - a fault of ours: the loop must hear of it, not lose a slot
                self._drop_child()
                self._on_fault(error)
            finally:
                errand.left()
        self._drop_child()

    def stop(self) -> None:
        with self._lock:
            self._stopping = True
            if self._child is not None and self._errand is not None:
                self._child.kill(WorkGivenUp("the work is not wanted any more"))

    def kill_if_aborted(self) -> None:
        with self._lock:
            if self._errand is not None and self._errand.aborted and self._child is not None:
                self._child.kill(WorkGivenUp("the work is not wanted any more"))

    def _serve(self, errand: Errand) -> None:
        prepared = errand.prepare()
        if prepared is None:
            return
        request, seconds = prepared
        child = self._child_for(errand)
        if child is None:
            return
        try:
            reply = child.ask(request, seconds=seconds, on_progress=errand.progress)
        except ChildError as error:
            self._drop_child()
            errand.died(error)
            return
        with self._lock:
            self._errand = None
        # Whoever aborted it may have killed the child an instant after its reply.
        is_spent = child.worn_out or errand.aborted
        errand.done(reply)
        if is_spent:
            self._drop_child()

    def _child_for(self, errand: Errand) -> Child | None:
        if self._child is not None and (self._child_spec is not errand.spec or self._child.worn_out):
            self._drop_child()
        with self._lock:
            if self._stopping or errand.aborted:
                return None
            if self._child is None:
                self._child, self._child_spec = Child(errand.spec), errand.spec
            self._errand = errand
            return self._child

    def _drop_child(self) -> None:
        with self._lock:
            child, self._child, self._errand = self._child, None, None
        if child is not None:
            child.close()
