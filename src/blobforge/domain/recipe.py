"""A recipe: all that decides what a result looks like, apart from the source itself."""

import hashlib
from dataclasses import dataclass, field

from blobforge.domain.ids import RecipeId
from blobforge.domain.json_value import JsonObject, canonical_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Same source and same recipe, same bytes. Secrets are never part of it."""

    processor: str
    version: str
    engine: str
    engine_version: str
    options: JsonObject = field(default_factory=dict)

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
