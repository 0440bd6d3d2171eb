"""Which results an older version made, and what has changed since."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from blobforge.domain.json_value import JsonObject, JsonValue
from blobforge.domain.recipe import Recipe
from blobforge.ports.processor import VersionChange
from blobforge.results.redoing import Stock


class ChangeSince(NamedTuple):
    """A version that came after the results of so many documents."""

    change: VersionChange
    documents: int


def changes_of(stocks: Iterable[Stock], recipe: Recipe, changes: Sequence[VersionChange]) -> list[ChangeSince]:
    """What the asked recipe brings to those who have these results; each change once, oldest first."""
    documents = dict.fromkeys(changes, 0)
    for stock in stocks:
        for change in changes_since(stock.recipe or {}, recipe, changes):
            documents[change] += stock.amount.documents
    return [ChangeSince(change, count) for change, count in documents.items() if count]


def changes_since(made_by: JsonObject, recipe: Recipe, changes: Sequence[VersionChange]) -> tuple[VersionChange, ...]:
    """The changes after the version that made a result, up to the asked one; none of another processor or engine."""
    if made_by.get("processor") != recipe.processor:
        return ()
    of_processor = _between(made_by.get("version"), recipe.version, [it for it in changes if not it.engine])
    if made_by.get("engine") != recipe.engine:
        return of_processor
    of_engine = _between(
        _own_version(made_by.get("engine_version")),
        _own_version(recipe.engine_version),
        [it for it in changes if it.engine == recipe.engine],
    )
    return (*of_processor, *of_engine)


def _own_version(engine_version: JsonValue) -> str:
    """An engine over the package of somebody else has two versions: `2 on pdf-oxide 0.3.78`."""
    return str(engine_version).split(" on ", maxsplit=1)[0]


def _between(older: JsonValue, newer: str, changes: Sequence[VersionChange]) -> tuple[VersionChange, ...]:
    versions = [change.version for change in changes]
    if older not in versions or newer not in versions:
        return ()
    return tuple(changes[versions.index(str(older)) + 1 : versions.index(newer) + 1])
