"""What the process of a worker shows to others on its machine."""

from typing import Protocol


class ProcessSigns(Protocol):
    def note_unreleased_jobs(self, jobs: bool, /) -> None:  # noqa: FBT001 - told by the loop as it is
        """Whether jobs are left that could not be released."""
        ...

    def show_life(self) -> None:
        """The heartbeat goes on, whether the queue answers or not."""
        ...


class _NoSigns:
    def note_unreleased_jobs(self, jobs: bool, /) -> None:  # noqa: FBT001
        """Nobody looks."""

    def show_life(self) -> None:
        """Nobody looks."""


NO_SIGNS = _NoSigns()
