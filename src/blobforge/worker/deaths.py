"""How often children may die on a document before it has a plan."""

from blobforge.worker.messages import Operation

MOST_DEATHS_BEFORE_PLAN = 3
"""A processor that knows where the last child died plans around that place."""


def is_last_try(operation: Operation, deaths: int) -> bool:
    """Whether the document is given up after so many children died on it, the last one during this operation."""
    return operation is Operation.JOIN or (operation is Operation.PLAN and deaths > MOST_DEATHS_BEFORE_PLAN)
