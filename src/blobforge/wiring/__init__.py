"""Puts the parts together: the only place that chooses adapters, by URL and by name.

What is named here is imported when it is used: a command that lists jobs needs neither workers nor conversions.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blobforge.wiring.accounts import OpenedAccounts, accounts_of, open_accounts, open_known_accounts
    from blobforge.wiring.children import (
        child_limits,
        equipment_for_one,
        equipment_of_its_own,
        factory_of,
        result_in,
        try_child,
    )
    from blobforge.wiring.conversions import open_conversion, open_remote_conversion
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
    from blobforge.wiring.missing import missing_in_store
    from blobforge.wiring.orders import (
        PDF,
        PDF_PROCESSOR,
        abilities_of,
        job_for,
        mended_by,
        ocr_languages,
        order_for,
        pdf_options,
        processors_by_type,
        recipe_for,
        require_known_languages,
        server_of,
        version_changes,
    )
    from blobforge.wiring.pairing import (
        check_pair,
        confirm_only_queue,
        confirm_pair,
        doubt_about_pair,
        require_only_queue,
        require_pair,
    )
    from blobforge.wiring.queues import (
        OpenedCoordinator,
        open_blobs,
        open_catalog,
        open_coordinator,
        open_known_coordinator,
    )
    from blobforge.wiring.servers import (
        is_behind_server,
        look_at_server,
        require_server_machine,
        require_worker_secret,
        with_own_project,
    )
    from blobforge.wiring.workers import Introduction, OpenedWorker, open_worker
    from blobforge.worker.sandbox.support import sandbox_support

__all__ = [
    "PDF",
    "PDF_PROCESSOR",
    "IngestRequest",
    "Introduction",
    "OpenedAccounts",
    "OpenedCoordinator",
    "OpenedIngest",
    "OpenedSubmit",
    "OpenedWorker",
    "abilities_of",
    "accounts_of",
    "check_pair",
    "child_limits",
    "confirm_only_queue",
    "confirm_pair",
    "doubt_about_pair",
    "equipment_for_one",
    "equipment_of_its_own",
    "factory_of",
    "is_behind_server",
    "job_for",
    "look_at_server",
    "mended_by",
    "missing_in_store",
    "ocr_languages",
    "open_accounts",
    "open_blobs",
    "open_catalog",
    "open_conversion",
    "open_coordinator",
    "open_ingest",
    "open_known_accounts",
    "open_known_coordinator",
    "open_lab_worker",
    "open_manifest",
    "open_rehearsal",
    "open_remote_conversion",
    "open_submit",
    "open_worker",
    "order_for",
    "pdf_options",
    "processors_by_type",
    "recipe_for",
    "require_known_languages",
    "require_only_queue",
    "require_pair",
    "require_server_machine",
    "require_worker_secret",
    "result_in",
    "sandbox_support",
    "server_of",
    "try_child",
    "version_changes",
    "with_own_project",
]

_MODULES = {
    "blobforge.wiring.accounts": "OpenedAccounts accounts_of open_accounts open_known_accounts",
    "blobforge.wiring.children": ("child_limits equipment_for_one equipment_of_its_own factory_of result_in try_child"),
    "blobforge.wiring.conversions": "open_conversion open_remote_conversion",
    "blobforge.wiring.intake": "IngestRequest OpenedIngest OpenedSubmit open_ingest open_rehearsal open_submit",
    "blobforge.wiring.lab": "open_lab_worker",
    "blobforge.wiring.manifests": "open_manifest",
    "blobforge.wiring.missing": "missing_in_store",
    "blobforge.wiring.orders": (
        "PDF PDF_PROCESSOR abilities_of job_for mended_by ocr_languages order_for pdf_options processors_by_type "
        "recipe_for require_known_languages server_of version_changes"
    ),
    "blobforge.wiring.pairing": (
        "check_pair confirm_only_queue confirm_pair doubt_about_pair require_only_queue require_pair"
    ),
    "blobforge.wiring.queues": "OpenedCoordinator open_blobs open_catalog open_coordinator open_known_coordinator",
    "blobforge.wiring.servers": (
        "is_behind_server look_at_server require_server_machine require_worker_secret with_own_project"
    ),
    "blobforge.wiring.workers": "Introduction OpenedWorker open_worker",
    "blobforge.worker.sandbox.support": "sandbox_support",
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_PLACES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
