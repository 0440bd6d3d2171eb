"""The rooms of a bucket that is a queue and its store at once: what its queue and its blobs both have to know."""

RAW = "store/raw/"
OUT = "store/out/"
"""The published result of a document; the queue writes it, and it makes a job done."""
RECIPES = "store/recipes/"
"""Results that were published before, by other recipes."""
RECIPE = "recipe"
"""Of which recipe a result is, in its metadata."""


def raw_name(source_hash: str) -> str:
    return f"{RAW}{source_hash}.pdf"
