"""Puts the parts together: the only place that chooses adapters, by URL and by name."""

from blobforge.wiring.children import child_limits, equipment_for_one, factory_of, try_child
from blobforge.wiring.conversions import open_conversion
from blobforge.wiring.intake import (
    IngestRequest,
    OpenedIngest,
    OpenedSubmit,
    open_ingest,
    open_rehearsal,
    open_submit,
)
from blobforge.wiring.lab import open_lab_worker
from blobforge.wiring.manifests import open_manifest
from blobforge.wiring.orders import (
    PDF,
    PDF_PROCESSOR,
    job_for,
    order_for,
    pdf_options,
    processors_by_type,
    recipe_for,
    server_of,
)
from blobforge.wiring.queues import OpenedCoordinator, open_blobs, open_catalog, open_coordinator
from blobforge.wiring.workers import OpenedWorker, open_worker

__all__ = [
    "PDF",
    "PDF_PROCESSOR",
    "IngestRequest",
    "OpenedCoordinator",
    "OpenedIngest",
    "OpenedSubmit",
    "OpenedWorker",
    "child_limits",
    "equipment_for_one",
    "factory_of",
    "job_for",
    "open_blobs",
    "open_catalog",
    "open_conversion",
    "open_coordinator",
    "open_ingest",
    "open_lab_worker",
    "open_manifest",
    "open_rehearsal",
    "open_submit",
    "open_worker",
    "order_for",
    "pdf_options",
    "processors_by_type",
    "recipe_for",
    "server_of",
    "try_child",
]
