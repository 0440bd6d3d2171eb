"""The machine's own time, threads and randomness."""

import queue
import threading
import time
from collections.abc import Callable
from secrets import token_hex
from typing import Final, Generic, TypeVar

from blobforge.ports.runtime import Runtime

Item = TypeVar("Item")


class SystemRuntime:
    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def event(self) -> threading.Event:
        return threading.Event()

    def condition(self) -> threading.Condition:
        return threading.Condition()

    def inbox(self) -> "SystemInbox[Item]":
        return SystemInbox()

    def thread(self, run: Callable[[], object], *, name: str) -> "SystemThread":
        return SystemThread(run, name)

    def nonce(self, size: int) -> str:
        return token_hex(size)


class SystemInbox(Generic[Item]):
    def __init__(self) -> None:
        # Unlike Queue, its put() takes no lock that a signal handler could wait for.
        self._messages: queue.SimpleQueue[Item] = queue.SimpleQueue()

    def put(self, item: Item) -> None:
        self._messages.put(item)

    def get(self, seconds: float | None = None) -> Item | None:
        try:
            return self._messages.get(timeout=seconds)
        except queue.Empty:
            return None


class SystemThread:
    def __init__(self, run: Callable[[], object], name: str) -> None:
        self._thread = threading.Thread(target=run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def join(self, seconds: float | None = None) -> None:
        if self._thread.ident is not None and threading.current_thread() is not self._thread:
            self._thread.join(seconds)


SYSTEM_RUNTIME: Final[Runtime] = SystemRuntime()
