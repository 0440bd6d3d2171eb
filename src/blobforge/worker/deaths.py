"""How often children may die on a document before it has a plan."""

from blobforge.worker.messages import Operation

MOST_DEATHS_BEFORE_PLAN = 3
"""A processor that knows where the last child died plans around that place."""


def is_last_try(operation: Operation, deaths: int) -> bool:
    """Whether a document of which so many have died, the last of them in this, is given up."""
    return operation is Operation.JOIN or (operation is Operation.PLAN and deaths > MOST_DEATHS_BEFORE_PLAN)
