"""Something that happens beside what a test does, at one moment of it: until it is over, or waits for that."""

import threading
from collections.abc import Callable

from blobforge.runtime import SystemRuntime

PATIENCE_SECONDS = 60


class Beside(SystemRuntime):
    """The runtime of what happens beside: where it would sleep, the test goes on, and it does when the test says so."""

    def __init__(self) -> None:
        self._moved = threading.Event()
        self._may_go_on = threading.Event()
        self._troubles: list[BaseException] = []
        self._thread: threading.Thread | None = None
        self.has_waited = False

    def sleep(self, seconds: float) -> None:
        self.has_waited = True
        self._moved.set()
        assert self._may_go_on.wait(PATIENCE_SECONDS)

    def begin(self, act: Callable[[], object]) -> None:
        """Once; returns when it is over, or waits."""
        if self._thread is not None:
            return
        self._thread = threading.Thread(target=self._run, args=(act,), name="beside", daemon=True)
        self._thread.start()
        assert self._moved.wait(PATIENCE_SECONDS)

    def end(self) -> None:
        """Lets it go on, and raises what it has raised."""
        assert self._thread is not None, "it has never begun"
        self._may_go_on.set()
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive()
        for trouble in self._troubles:
            raise trouble

    def _run(self, act: Callable[[], object]) -> None:
        try:
            act()
        except BaseException as error:  # noqa: BLE001 - raised again where the test sees it
            self._troubles.append(error)
        finally:
            self._moved.set()
