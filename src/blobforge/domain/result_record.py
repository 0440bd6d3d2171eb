"""What a job keeps of its published result: the number of pages, gaps and doubts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from blobforge.domain.ids import RecipeId
from blobforge.domain.job import Job
from blobforge.domain.json_value import JsonObject, JsonValue
from blobforge.domain.loose_json import json_in, object_in, text_in, whole_in

PAGES_FAILED = "pages_failed"
REFUSED = "refused"
FOUND = "found"
REPAIRED = "repaired"
WARNINGS = "warnings"
HAS_ATTACHMENTS = "has_attachments"
XFA_FORM = "xfa_form"
_OF_DOCUMENT = {
    HAS_ATTACHMENTS: "files are attached to it, which are not converted",
    XFA_FORM: "it is a dynamic form, which few programs show",
}
"""Warnings about a document as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRecord:
    """`codes` say why pages are missing, `warnings` why others are doubtful, each with how many pages it is.
    `repaired`: the source was damaged, and what could be saved of it was read."""

    key: str | None = None
    recipe_id: RecipeId | None = None
    engine: str | None = None
    pages: int = 0
    pages_failed: int = 0
    codes: Mapping[str, int] = field(default_factory=dict)
    warnings: Mapping[str, int] = field(default_factory=dict)
    repaired: bool = False
    images: int = 0
    size: int = 0
    refused: str = ""
    """The result of a later run that is not published, because it misses more pages."""
    was_found: bool = False
    """The last run found it in the store, and made nothing: its time tells nothing."""

    @property
    def has_gaps(self) -> bool:
        return self.pages_failed > 0

    @property
    def gaps(self) -> str:
        """`6 of 12 pages are missing (ocr_unavailable)`; empty where none is."""
        if not self.pages_failed:
            return ""
        are = "is" if self.pages_failed == 1 else "are"
        why = f" ({', '.join(self.codes)})" if self.codes else ""
        return f"{self.pages_failed} of {self.pages} page{'' if self.pages == 1 else 's'} {are} missing{why}"

    @property
    def has_doubts(self) -> bool:
        return self.repaired or bool(self.warnings) or bool(self.refused)

    @property
    def doubts(self) -> str:
        """`the file was damaged and repaired; doubtful pages: 2 unknown_glyphs`; empty where there is nothing."""
        told = ["the file was damaged and repaired"] if self.repaired else []
        told += [f"{text} ({name})" for name, text in _OF_DOCUMENT.items() if name in self.warnings]
        of_pages = {name: count for name, count in self.warnings.items() if name not in _OF_DOCUMENT}
        if of_pages:
            told.append("doubtful pages: " + ", ".join(f"{count} {name}" for name, count in of_pages.items()))
        if self.refused:
            told.append(f"a later run misses more and is not published: {self.refused}")
        return "; ".join(told)


def result_record(job: Job) -> ResultRecord:
    """An empty one for a job that has no result. Tolerates what other programs wrote."""
    return record_in(json_in(job.result))


def record_in(said: JsonValue) -> ResultRecord:
    facts = object_in(said)
    return ResultRecord(
        key=text_in(facts.get("key")),
        recipe_id=RecipeId(recipe) if (recipe := text_in(facts.get("recipe"))) else None,
        engine=text_in(facts.get("engine")),
        pages=whole_in(facts.get("pages")) or 0,
        pages_failed=whole_in(facts.get(PAGES_FAILED)) or 0,
        codes=_counts(facts, "codes"),
        warnings=_counts(facts, WARNINGS),
        repaired=facts.get(REPAIRED) is True,
        images=whole_in(facts.get("images")) or 0,
        size=whole_in(facts.get("output_size")) or 0,
        refused=text_in(facts.get(REFUSED)) or "",
        was_found=facts.get(FOUND) is True,
    )


def result_that_stays(job: Job, made: JsonObject, recipe_id: RecipeId) -> JsonObject | None:
    """The published result with a word on the new one, where that misses more pages: it must not take its place.

    None where the new one is to be published. Of the same recipe there is one result only, the last.
    """
    published, new = result_record(job), record_in(made)
    if published.key is None or published.recipe_id in (None, recipe_id) or new.pages_failed <= published.pages_failed:
        return None
    return {**object_in(json_in(job.result)), REFUSED: f"recipe {recipe_id[:12]}, {new.gaps}"}


def _counts(facts: JsonObject, name: str) -> dict[str, int]:
    return {key: whole_in(value) or 0 for key, value in object_in(facts.get(name)).items()}
