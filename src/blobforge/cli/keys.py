"""A key that ends what is shown: `q`, where a person looks on."""

import errno
import os
import select
import sys
import termios
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from blobforge.cli import output

ENDS = frozenset(b"qQ")


@contextmanager
def ended_by_key(stop: Callable[[], None]) -> Iterator[bool]:
    """Within it, `q` calls `stop`; the terminal is as it was afterwards. Gives whether anyone can press it at all.

    A program in the background must not touch the terminal: the system would halt it.
    """
    if not _is_in_foreground():
        yield False
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    ours, theirs = os.pipe()
    thread = threading.Thread(target=_listen, args=(terminal, ours, stop), name="keys", daemon=True)
    try:
        # Keys come at once and are not shown; Ctrl-C and Ctrl-Z are signals as before.
        tty.setcbreak(terminal, termios.TCSANOW)
        thread.start()
        yield True
    finally:
        os.close(theirs)
        thread.join()
        os.close(ours)
        termios.tcsetattr(terminal, termios.TCSANOW, before)


def _listen(terminal: int, ended: int, stop: Callable[[], None]) -> None:
    while True:
        ready, _, _ = select.select([terminal, ended], [], [])
        if ended in ready or not _is_in_foreground():
            return
        pressed = os.read(terminal, 64)
        if ENDS.intersection(pressed):
            stop()
        if not pressed:
            return


def _is_in_foreground() -> bool:
    """A terminal that does not control this session halts nobody."""
    try:
        return output.is_terminal(sys.stdin) and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except OSError as error:
        return error.errno == errno.ENOTTY
    except ValueError:  # it was closed
        return False
