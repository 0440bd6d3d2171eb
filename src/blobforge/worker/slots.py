"""Slots: threads with one warm child each, which take tasks from one fair queue."""

import threading
from collections.abc import Callable
from typing import Protocol

from blobforge.domain.errors import ChildError, OutputError, WorkGivenUp
from blobforge.ports.processor import Progress
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.worker.child import Child, ChildSpec
from blobforge.worker.fair_queue import FairQueue
from blobforge.worker.messages import Reply, Request


class SlotChild(Protocol):
    """What a slot asks of its child; `Child` is the real one."""

    @property
    def needs_replacing(self) -> bool: ...

    def ask(self, request: Request, *, seconds: float, on_progress: Callable[[Progress], None]) -> Reply: ...

    def kill(self, reason: ChildError | None = None) -> None: ...

    def close(self) -> None: ...


StartChild = Callable[[ChildSpec, Runtime], SlotChild]
"""How a slot gets a child: a process, or what a test puts in its place."""


class SlotTask(Protocol):
    """One request for a child. All methods but `aborted` are called on the slot's thread."""

    @property
    def spec(self) -> ChildSpec: ...

    @property
    def aborted(self) -> bool: ...

    def prepare(self) -> tuple[Request, float] | None:
        """The request and how many seconds it may take; None when there is nothing to ask a child."""
        ...

    def progress(self, progress: Progress) -> None: ...

    def done(self, reply: Reply) -> None:
        """Raises ChildError where the answer cannot be trusted: then the child is replaced, and `died` is called."""
        ...

    def died(self, error: ChildError | OutputError) -> None: ...

    def released(self) -> None:
        """The last call, once for each `prepare`: neither the slot nor a child uses it any more."""
        ...


class SlotPool:
    """Keeps a child warm in each slot; a task that needs another kind of child replaces it."""

    def __init__(
        self,
        count: int,
        *,
        on_fault: Callable[[BaseException], None],
        runtime: Runtime = SYSTEM_RUNTIME,
        start_child: StartChild = Child,
    ) -> None:
        self._queue: FairQueue[SlotTask] = FairQueue(runtime=runtime)
        self._slots = [
            _Slot(self._queue, on_fault, runtime, start_child, name=f"slot-{number}") for number in range(count)
        ]

    def __len__(self) -> int:
        return len(self._slots)

    def start(self) -> None:
        for slot in self._slots:
            slot.start()

    def put(self, task: SlotTask, *, rank: int) -> None:
        """`rank` numbers the documents in the order of their claims."""
        self._queue.put(task, rank=rank)

    def levels(self) -> list[int]:
        """The level of each document in work, see FairQueue."""
        return self._queue.levels()

    def kill_aborted(self) -> None:
        """Kills every child whose task was aborted; the others go on."""
        for slot in self._slots:
            slot.kill_if_aborted()

    def close(self) -> None:
        """Ends all children and joins the threads. Tasks still in the queue are dropped."""
        for slot in self._slots:
            slot.stop()
        self._queue.close()
        for slot in self._slots:
            slot.join()


class _Slot:
    def __init__(
        self,
        queue: FairQueue[SlotTask],
        on_fault: Callable[[BaseException], None],
        runtime: Runtime,
        start_child: StartChild,
        *,
        name: str,
    ) -> None:
        self._queue = queue
        self._on_fault = on_fault
        self._runtime = runtime
        self._start_child = start_child
        thread = runtime.thread(self._run, name=name)
        self.start, self.join = thread.start, thread.join
        self._lock = threading.Lock()
        self._child: SlotChild | None = None
        self._child_spec: ChildSpec | None = None
        self._task: SlotTask | None = None
        self._stopping = False

    def _run(self) -> None:
        while (taken_item := self._queue.take()) is not None and not self._stopping:
            if not taken_item.item.aborted:
                self._take_on(taken_item.item)
            self._queue.give_back(taken_item)
        self._drop_child()

    def stop(self) -> None:
        with self._lock:
            self._stopping = True
            if self._child is not None and self._task is not None:
                self._child.kill(WorkGivenUp("the work is not wanted any more"))

    def kill_if_aborted(self) -> None:
        with self._lock:
            if self._task is not None and self._task.aborted and self._child is not None:
                self._child.kill(WorkGivenUp("the work is not wanted any more"))

    def _take_on(self, task: SlotTask) -> None:
        try:
            self._serve(task)
        except BaseException as error:  # noqa: BLE001 - a fault of ours: the loop must end with it, not lose a slot
            self._drop_child()
            self._on_fault(error)
        finally:
            task.released()

    def _serve(self, task: SlotTask) -> None:
        prepared = task.prepare()
        if prepared is None:
            return
        request, seconds = prepared
        try:
            child = self._child_for(task)
            if child is None:
                return
            reply = child.ask(request, seconds=seconds, on_progress=task.progress)
        except (ChildError, OutputError) as error:
            self._drop_child()
            task.died(error)
            return
        with self._lock:
            self._task = None
        # Whoever aborted it may have killed the child an instant after its reply.
        is_spent = child.needs_replacing or task.aborted
        try:
            task.done(reply)
        except ChildError as error:
            self._drop_child()
            task.died(error)
            return
        if is_spent:
            self._drop_child()

    def _child_for(self, task: SlotTask) -> SlotChild | None:
        if self._child is not None and (self._child_spec is not task.spec or self._child.needs_replacing):
            self._drop_child()
        with self._lock:
            if self._stopping or task.aborted:
                return None
            if self._child is None:
                self._child, self._child_spec = self._start_child(task.spec, self._runtime), task.spec
            self._task = task
            return self._child

    def _drop_child(self) -> None:
        with self._lock:
            child, self._child, self._task = self._child, None, None
        if child is not None:
            child.close()
