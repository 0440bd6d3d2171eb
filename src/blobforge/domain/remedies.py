"""What an error code means and what people can do about it."""

from collections.abc import Mapping
from typing import NamedTuple

from blobforge.domain.error_codes import all_errors
from blobforge.domain.lifecycle import LEASE_EXPIRED, SOURCE_NEVER_CAME


class Remedy(NamedTuple):
    """`commands` hold `{job}` where the job is named, and capitals where a person fills something in. What comes
    besides for a dead job is of no use for one that is completed and misses pages for this reason."""

    advice: str
    commands: tuple[str, ...]
    advice_if_dead: str = ""
    commands_if_dead: tuple[str, ...] = ()


LOGS, RETRY = "blobforge logs {job}", "blobforge retry {job}"
DOWNLOAD = "blobforge download {job}"
REPROCESS = "blobforge reprocess {job} --engine ENGINE"
SUBMIT = "blobforge submit PATH"

_ANOTHER_FILE = Remedy(
    "Only another file helps: mend or replace it and submit that one.",
    (SUBMIT,),
    "This job can be cleared away.",
    ("blobforge clear-dead --code {code}",),
)
_ORDINARY = Remedy("See what happened, and retry it when the cause is gone.", (LOGS, RETRY))


def _with_setting(variable: str) -> Remedy:
    return Remedy(
        "If the document is worth it, give it more on the machines of the workers, and retry it.",
        (f"{variable}=MORE blobforge worker", RETRY),
    )


REMEDIES: Mapping[str, Remedy] = {
    **dict.fromkeys(
        ("not_a_pdf", "empty_file", "damaged_pdf", "no_pages", "no_text", "source_too_large"), _ANOTHER_FILE
    ),
    "source_missing": Remedy("Bring the document back by submitting it again, and retry the job.", (SUBMIT, RETRY)),
    "source_damaged": Remedy(
        "Delete the damaged copy that the error names, submit the document again, and retry the job.", (SUBMIT, RETRY)
    ),
    "source_unreadable": Remedy("Make the file readable, submit it again and retry the job.", (SUBMIT, RETRY)),
    "source_changed": Remedy("Submit the file as it is now; that is a job of its own.", (SUBMIT,)),
    "encrypted_pdf": Remedy(
        "Convert it with its password, or submit a copy without one.",
        ("blobforge convert PATH -o FOLDER --password-file FILE", SUBMIT),
    ),
    "unknown_processor": Remedy("Install its processor where the workers run.", ("blobforge processors", RETRY)),
    "engine_unavailable": Remedy("Install the engine where the workers run.", ("blobforge processors", RETRY)),
    "ocr_unavailable": Remedy("Install tesseract and the language where the workers run.", ("blobforge doctor", RETRY)),
    "too_many_pages": _with_setting("BLOBFORGE_CONVERSION_MAX_PAGES"),
    "too_many_pictures": _with_setting("BLOBFORGE_CONVERSION_MAX_PICTURES"),
    "document_cpu_limit": _with_setting("BLOBFORGE_CONVERSION_CPU_SECONDS"),
    "process_limit": _with_setting("BLOBFORGE_CHILD_PROCESSES"),
    "timed_out": _with_setting("BLOBFORGE_CONVERSION_TIMEOUT_SECONDS"),
    "stalled": _with_setting("BLOBFORGE_STALL_SECONDS"),
    "memory_limit": _with_setting("BLOBFORGE_CHILD_MEMORY_MB"),
    "cpu_limit": _with_setting("BLOBFORGE_CHILD_CPU_SECONDS"),
    "output_limit": _with_setting("BLOBFORGE_CHILD_OUTPUT_MB"),
    "disk_too_small": Remedy("Run a worker whose disk can hold the document.", (RETRY,)),
    "disk_full": Remedy("Make room on the disk of the worker or the store.", ("blobforge doctor", RETRY)),
    SOURCE_NEVER_CAME: Remedy("Bring the document: submit it, or upload it again.", (SUBMIT,)),
    LEASE_EXPIRED: Remedy(
        "Find out what ended the worker (a machine without memory is the usual case), and retry it.", (LOGS, RETRY)
    ),
}


def remedy_for(code: str | None) -> Remedy:
    return REMEDIES.get(code or "", _ORDINARY)


def meaning_of(code: str | None) -> str | None:
    """One sentence; None for a code that is not ours, as a processor of somebody else may have."""
    if code == LEASE_EXPIRED:
        return "The worker that had it was not heard of any more."
    if code == SOURCE_NEVER_CAME:
        return "It was announced, and its document was never brought."
    error = all_errors().get(code or "")
    return None if error is None or error.__doc__ is None else error.__doc__.partition("\n")[0]
