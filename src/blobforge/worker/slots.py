"""Slots: each is a thread with one warm child, all fed from one line of errands."""

import threading
from collections.abc import Callable
from typing import Protocol

from blobforge.domain.errors import ChildError, OutputError, WorkGivenUp
from blobforge.ports.processor import Progress
from blobforge.worker.child import Child, ChildSpec
from blobforge.worker.fair_queue import FairQueue
from blobforge.worker.messages import Reply, Request


class SlotTask(Protocol):
    """One thing for a child to do. All methods but `aborted` are called on the slot's thread."""

    @property
    def spec(self) -> ChildSpec: ...

    @property
    def aborted(self) -> bool: ...

    def prepare(self) -> tuple[Request, float] | None:
        """The request and how many seconds it may take; None when there is nothing to ask a child."""
        ...

    def progress(self, progress: Progress) -> None: ...

    def done(self, reply: Reply) -> None:
        """Raises ChildError where the answer cannot be believed: the child is replaced then, and `died` hears of it."""
        ...

    def died(self, error: ChildError | OutputError) -> None: ...

    def left(self) -> None:
        """The last call, once for each `prepare`: neither the slot nor a child is busy with it any more."""
        ...


class SlotPool:
    def __init__(self, count: int, *, on_fault: Callable[[BaseException], None]) -> None:
        self._line: FairQueue[SlotTask] = FairQueue()
        self._slots = [_Slot(self._line, on_fault, name=f"slot-{number}") for number in range(count)]

    def __len__(self) -> int:
        return len(self._slots)

    def start(self) -> None:
        for slot in self._slots:
            slot.start()

    def put(self, errand: SlotTask, *, rank: int) -> None:
        """`rank` is the document's, in the order of the claims."""
        self._line.put(errand, rank=rank)

    def tiers(self) -> list[int]:
        """How many times each document in work gave way to others, see FairQueue."""
        return self._line.tiers()

    def kill_aborted(self) -> None:
        """Ends every child whose errand was aborted; the others go on."""
        for slot in self._slots:
            slot.kill_if_aborted()

    def close(self) -> None:
        """Ends all children and waits for the threads. Errands still in the line are dropped."""
        for slot in self._slots:
            slot.stop()
        self._line.close()
        for slot in self._slots:
            if slot.is_alive():
                slot.join()


class _Slot(threading.Thread):
    def __init__(self, line: FairQueue[SlotTask], on_fault: Callable[[BaseException], None], *, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._line = line
        self._on_fault = on_fault
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._child_spec: ChildSpec | None = None
        self._errand: SlotTask | None = None
        self._stopping = False

    def run(self) -> None:
        while (turn := self._line.take()) is not None and not self._stopping:
            if not turn.item.aborted:
                self._take_on(turn.item)
            self._line.give_back(turn)
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

    def _take_on(self, errand: SlotTask) -> None:
        try:
            self._serve(errand)
        except BaseException as error:  # noqa: BLE001 - a fault of ours: the loop must hear of it, not lose a slot
            self._drop_child()
            self._on_fault(error)
        finally:
            errand.left()

    def _serve(self, errand: SlotTask) -> None:
        prepared = errand.prepare()
        if prepared is None:
            return
        request, seconds = prepared
        try:
            child = self._child_for(errand)
            if child is None:
                return
            reply = child.ask(request, seconds=seconds, on_progress=errand.progress)
        except (ChildError, OutputError) as error:
            self._drop_child()
            errand.died(error)
            return
        with self._lock:
            self._errand = None
        # Whoever aborted it may have killed the child an instant after its reply.
        is_spent = child.worn_out or errand.aborted
        try:
            errand.done(reply)
        except ChildError as error:
            self._drop_child()
            errand.died(error)
            return
        if is_spent:
            self._drop_child()

    def _child_for(self, errand: SlotTask) -> Child | None:
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
