"""What a job is to be: which processor serves it, with which options."""

import os

from blobforge import plugins
from blobforge.config.settings import Settings
from blobforge.domain.errors import InvalidSettings
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import NewJob
from blobforge.domain.json_value import JsonObject
from blobforge.domain.recipe import Recipe
from blobforge.plugins import Group
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
    options = _with_settings(settings, job_type, options)
    plugins.load_processor(server_of(job_type)).recipe(options)
    return Order(options=options).as_metadata()


def recipe_for(settings: Settings, job_type: str, options: JsonObject) -> Recipe:
    """The recipe that such an order has here and now. Raises InvalidOptions, InvalidSettings, EngineUnavailable."""
    return plugins.load_processor(server_of(job_type)).recipe(_with_settings(settings, job_type, options))


def _with_settings(settings: Settings, job_type: str, options: JsonObject) -> JsonObject:
    return {**pdf_options(settings), **options} if job_type == PDF else options


def pdf_options(settings: Settings) -> JsonObject:
    """What the settings say about PDFs."""
    return {"engine": settings.conversion.engine, "ocr_languages": settings.conversion.ocr_languages}


def server_of(job_type: str) -> str:
    served = processors_by_type()
    if job_type not in served:
        raise InvalidSettings(f"no processor serves the type {job_type!r}; there are {', '.join(sorted(served))}")
    return served[job_type]
