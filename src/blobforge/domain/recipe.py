"""A recipe: all that determines a result, apart from the source itself."""

import hashlib
from dataclasses import dataclass, field

from blobforge.domain.errors import InvalidOptions
from blobforge.domain.ids import RecipeId
from blobforge.domain.json_value import JsonObject, canonical_json

UNRECORDED = RecipeId("0" * 16)
"""Stands for the recipe of a result that tells none: another program made it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Same source and same recipe, same bytes. Secrets are never part of it.

    `partial` are those of the options that leave out some of the document. A result of such a recipe is kept under it,
    for who asked for it, and never published as the document's.
    """

    processor: str
    version: str
    engine: str
    engine_version: str
    options: JsonObject = field(default_factory=dict)
    partial: tuple[str, ...] = ()

    @property
    def id(self) -> RecipeId:
        return RecipeId(hashlib.sha256(canonical_json(self.as_json()).encode()).hexdigest()[:16])

    def as_json(self) -> JsonObject:
        return {
            "processor": self.processor,
            "version": self.version,
            "engine": self.engine,
            "engine_version": self.engine_version,
            "options": self.options,
        }


def require_whole_document(recipe: Recipe, *, instead: str) -> None:
    """What a queue publishes is for everyone. `instead` says what else to do. Raises InvalidOptions."""
    if recipe.partial:
        asked = ", ".join(f"{name}={recipe.options.get(name)}" for name in recipe.partial)
        raise InvalidOptions(f"{asked} leaves out some of the document, and a queue publishes whole ones; {instead}")
