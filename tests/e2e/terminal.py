"""A terminal of a given width, and what a person sees on it while the program runs."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
from collections.abc import Mapping

from tests.e2e.program import PATIENCE_SECONDS, PROGRAM, Blobforge, signals_as_usual

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    def __init__(self, blobforge: Blobforge, *args: str, env: Mapping[str, str], columns: int = 80) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environ = blobforge.environ(**{"TERM": "xterm", **env})
        environ.pop("COLUMNS", None)
        with signals_as_usual():
            self._process = subprocess.Popen(
                [PROGRAM, *args],
                cwd=blobforge.cwd,
                env=environ,
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                start_new_session=True,
            )
        blobforge.look_after(self._process)
        os.close(theirs)
        self._bytes = b""

    @property
    def raw(self) -> str:
        """All that came so far, with what steers the terminal."""
        return self._bytes.decode(errors="ignore")

    @property
    def lines(self) -> list[str]:
        """All that came so far; a line that was drawn again is there again."""
        plain = _CONTROL.sub("", self.raw)
        return [line.rstrip() for line in re.split(r"[\r\n]+", plain) if line.strip()]

    def wait_for(self, pattern: str) -> "re.Match[str]":
        """Reads on until a line matches as a whole."""
        while True:
            found = [match for line in self.lines if (match := re.fullmatch(pattern, line))]
            if found:
                return found[-1]
            assert self._read(), f"the run ended without {pattern!r}: {self.lines}"

    def wait_for_end(self) -> int:
        """The exit code."""
        while self._read():
            pass
        os.close(self._ours)
        return self._process.wait(PATIENCE_SECONDS)

    def type_in(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def type(self, text: str) -> None:
        """As a person does who is asked something."""
        os.write(self._ours, text.encode())

    def modes(self) -> list[object]:
        """How the terminal takes what is typed."""
        return list(termios.tcgetattr(self._ours))

    def wait_for_modes(self, modes: list[object]) -> bool:
        """Reads on until the terminal is so, and the program has not ended for another reason."""
        while self.modes() != modes:
            if not self._read():
                return self.modes() == modes
        return True

    def press_ctrl_c(self) -> None:
        """As a terminal does: to every process in its foreground."""
        os.killpg(self._process.pid, signal.SIGINT)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._ours], [], [], PATIENCE_SECONDS)
        assert ready, f"nothing more came: {self.lines}"
        try:
            part = os.read(self._ours, 65536)
        except OSError:  # Linux says EIO when the other side is closed
            return False
        self._bytes += part
        return bool(part)
