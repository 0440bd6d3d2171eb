"""What a job is to be: which processor serves it, with which options."""

import os
import shlex
from collections.abc import Iterable
from contextlib import suppress

from blobforge import plugins
from blobforge.config.settings import Settings
from blobforge.domain.errors import EngineUnavailable, InvalidSettings
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import NewJob
from blobforge.domain.json_value import JsonObject
from blobforge.domain.recipe import Recipe, require_whole_document
from blobforge.plugins import Group
from blobforge.ports.processor import VersionChange
from blobforge.worker.order import Order

PDF = "pdf"
PDF_PROCESSOR = "pdf_markdown"


def processors_by_type() -> dict[str, str]:
    """Which processor serves each job type. Raises InvalidSettings when two claim one."""
    served: dict[str, str] = {}
    for name in plugins.names(Group.PROCESSORS):
        for job_type in plugins.load_processor(name).info.types:
            if served.setdefault(job_type, name) != name:
                raise InvalidSettings(f"the processors {served[job_type]} and {name} both serve the type {job_type!r}")
    return served


def abilities_of(types: Iterable[str]) -> frozenset[str]:
    """What a worker on this machine has for jobs of these types. Raises InvalidSettings."""
    return frozenset(word for kind in types for word in plugins.load_processor(server_of(kind)).has())


def job_for(settings: Settings, source_hash: SourceHash, *, path: str, size: int, order: str, job_type: str) -> NewJob:
    return NewJob(
        project=settings.project,
        type=job_type,
        source_hash=source_hash,
        # A name that is no valid text is kept as far as text goes; the catalogue has its bytes.
        source_path=os.fsencode(path).decode("utf-8", "backslashreplace"),
        source_size=size,
        max_attempts=settings.retry.max_attempts,
        metadata=order,
    )


def order_for(settings: Settings, job_type: str, options: JsonObject) -> str:
    """The order of a job type with these options, checked by its processor. Raises InvalidOptions, InvalidSettings."""
    wanted = _with_settings(settings, job_type, options)
    needs = plugins.load_processor(server_of(job_type)).needs(wanted)
    # Workers do the work: what is installed on the machine of who asks for it is nobody's concern.
    with suppress(EngineUnavailable):
        recipe_for(settings, job_type, options)
    return Order(options=wanted, needs=needs).as_metadata()


def recipe_for(settings: Settings, job_type: str, options: JsonObject) -> Recipe:
    """The recipe that such an order has here and now, of whole documents.

    Raises InvalidOptions, InvalidSettings, EngineUnavailable.
    """
    recipe = plugins.load_processor(server_of(job_type)).recipe(_with_settings(settings, job_type, options))
    flags = " ".join(f"--{name} {shlex.quote(str(recipe.options.get(name)))}" for name in recipe.partial)
    require_whole_document(recipe, instead=f"use 'blobforge convert PATH -o FOLDER {flags}'")
    return recipe


def mended_by(settings: Settings, job_type: str, options: JsonObject) -> frozenset[str]:
    """Codes of gaps that such an order would not leave here and now."""
    return plugins.load_processor(server_of(job_type)).mended(_with_settings(settings, job_type, options))


def version_changes(job_type: str) -> tuple[VersionChange, ...]:
    """What the versions of its processor and of the engines changed in results, oldest first."""
    return plugins.load_processor(server_of(job_type)).info.changes


def _with_settings(settings: Settings, job_type: str, options: JsonObject) -> JsonObject:
    return {**pdf_options(settings), **options} if job_type == PDF else options


def pdf_options(settings: Settings) -> JsonObject:
    """What the settings say about PDFs."""
    return {"engine": settings.conversion.engine, "ocr_languages": settings.conversion.ocr_languages}


def require_known_languages(settings: Settings, *, option: str = "ocr_languages") -> bool:
    """For who reads scans here: whether there is a tesseract that could. What another machine has, nobody here knows.

    `option` is what the person set. Raises InvalidOptions.
    """
    from blobforge.documents.known_languages import require_known
    from blobforge.processors.pdf_markdown.options import parse_options

    wanted = parse_options(pdf_options(settings)).ocr_languages
    if not wanted:
        return True
    there = ocr_languages()
    require_known(wanted, there, option=option)
    return there is not None


def ocr_languages() -> list[str] | None:
    """Those that scans can be read in here, the usual one first; None without tesseract."""
    from blobforge.documents.ocr_languages import readable
    from blobforge.documents.tesseract import find_tesseract

    tool = find_tesseract()
    return None if tool is None else readable(tool.languages)


def server_of(job_type: str) -> str:
    served = processors_by_type()
    if job_type not in served:
        raise InvalidSettings(f"no processor serves the type {job_type!r}; there are {', '.join(sorted(served))}")
    return served[job_type]
