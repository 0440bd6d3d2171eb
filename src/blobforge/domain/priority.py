"""Five priorities, each with a number, a name and the slug that is part of bucket keys."""

from enum import IntEnum

from blobforge.domain.errors import InvalidValue


class Priority(IntEnum):
    CRITICAL = 1
    HIGH = 2
    NORMAL = 3
    LOW = 4
    BACKGROUND = 5

    @property
    def label(self) -> str:
        return self.name.capitalize()

    @property
    def slug(self) -> str:
        return f"{self.value}_{self.name.lower()}"


def parse_priority(text: str | int) -> Priority:
    """Accepts 1, "1", "critical" and "1_critical". Raises InvalidValue."""
    wanted = str(text).strip().lower()
    for priority in Priority:
        if wanted in (str(priority.value), priority.name.lower(), priority.slug):
            return priority
    names = ", ".join(priority.slug for priority in Priority)
    raise InvalidValue(f"{text!r} is no priority: use 1 to 5, or one of {names}")


def check_priority(number: int) -> int:
    """The number as it is. Raises InvalidValue unless it is one of the five."""
    if not Priority.CRITICAL <= number <= Priority.BACKGROUND:
        raise InvalidValue(f"{number} is no priority: use 1 to 5")
    return int(number)
