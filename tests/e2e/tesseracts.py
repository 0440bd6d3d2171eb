"""Programs that play tesseract: so a test is there at the moment when a child works on a page."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.e2e.program import PATIENCE_SECONDS

_SCRIPT = """#!/bin/sh
case "$1" in
--version) echo "tesseract 5.3.0"; exit ;;
--list-langs) printf 'List of available languages (1):\\neng\\n'; exit ;;
esac
{action}
"""
_WORDS = "words that were recognised on this page here"
RECOGNISE = "cat >/dev/null\n" + "\n".join(
    # As high as the page, so that no print on it lies outside of what was read.
    f"printf '5\\t1\\t1\\t1\\t1\\t{place}\\t{210 * (place - 1)}\\t0\\t205\\t2400\\t96\\t{word}\\n'"
    for place, word in enumerate(_WORDS.split(), start=1)
)
"""The lines of a script that find the same words on every page."""


class StandIn:
    """A folder for PATH with a `tesseract` in it that does what the test wants."""

    def __init__(self, folder: Path, action: str) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self.program = folder / "tesseract"
        self.program.write_text(_SCRIPT.format(action=action))
        self.program.chmod(0o755)

    @property
    def path(self) -> str:
        return f"{self._folder}{os.pathsep}{os.environ['PATH']}"


class Reader(StandIn):
    """Recognises the same words on every page."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, RECOGNISE)


class Gate(StandIn):
    """Knows when a page is being read, and lets it through. One page at a time.

    The stand-in only reads what lies beside it: more is not given to who works in a sandbox.
    """

    def __init__(self, folder: Path) -> None:
        self._go = folder / "go"
        # A second look at the same page, for lines that the first passed over, is not waited for.
        waits = f"case \"$*\" in *'--psm 11'*) ;; *) read line <'{self._go}' ;; esac"
        super().__init__(folder, f"{waits}\n{RECOGNISE}")
        os.mkfifo(self._go)
        self._opened: int | None = None

    def wait_until_reached(self) -> None:
        give_up = time.monotonic() + PATIENCE_SECONDS
        while not self._is_reached():
            assert time.monotonic() < give_up, "no page was ever read by the stand-in"
            time.sleep(0.01)

    def _is_reached(self) -> bool:
        """A pipe can be opened for writing as soon as someone is there to read."""
        self.close()
        with suppress(OSError):
            self._opened = os.open(self._go, os.O_WRONLY | os.O_NONBLOCK)
        return self._opened is not None

    def let_through(self) -> None:
        if self._opened is None:
            self._opened = os.open(self._go, os.O_WRONLY)
        os.write(self._opened, b"go\n")
        self.close()

    @contextmanager
    def when_reached(self, action: Callable[[], object]) -> Iterator[None]:
        """For a run in this process: does something while a page is being read, and lets it through."""

        def wait_and_act() -> None:
            self.wait_until_reached()
            action()
            self.let_through()

        thread = threading.Thread(target=wait_and_act, name="gate keeper")
        thread.start()
        yield
        thread.join()

    def remove(self) -> None:
        """Lets through who waits, and stops nobody any more: the next `tesseract` on the path is asked."""
        self.program.unlink()
        self.let_through()

    def close(self) -> None:
        if self._opened is not None:
            os.close(self._opened)
            self._opened = None
