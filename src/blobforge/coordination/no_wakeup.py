"""No wake-up: workers of such a queue poll."""

from collections.abc import Callable


class NoWakeup:
    def subscribe(self, listener: Callable[[], None]) -> "NoSubscription":  # noqa: ARG002 - the form of the port
        return NoSubscription()


class NoSubscription:
    def close(self) -> None:
        """There is nothing to stop."""
