"""The path of a document's file, by a template; only the columns that it names are read."""

import re
from string import Formatter
from typing import Any

from blobforge.coordination.pdf_jobs.database import Transaction
from blobforge.domain.errors import InvalidSettings
from blobforge.domain.uploaded_document import UploadedDocument

COLUMNS = {"id": "id::text", "user_id": "user_id::text", "uuid": "uuid::text"}
"""What a template may name: the owner grants no more of `uploaded_documents`."""


class DocumentPaths:
    def __init__(self, template: str) -> None:
        """Raises InvalidSettings."""
        self._template = template
        self._names = _names_in(template)
        columns = ", ".join(["storage_disk::text", *(COLUMNS[name] for name in self._names)])
        self._statement = f"SELECT {columns} FROM uploaded_documents WHERE id = %(id)s"  # noqa: S608 - our own names

    def upload(self, transaction: Transaction, document_id: int) -> UploadedDocument:
        row = transaction.row(self._statement, {"id": document_id})
        if row is None:
            return UploadedDocument(document_id, None, None)
        return UploadedDocument(document_id, row[0], self._path(row[1:]))

    def _path(self, values: tuple[Any, ...]) -> str:
        # A value that is missing names no file, rather than one by the name of "None".
        return self._template.format_map({name: value or "" for name, value in zip(self._names, values, strict=True)})


def _names_in(template: str) -> list[str]:
    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        raise InvalidSettings(f"STORAGE_PATH_TEMPLATE {template!r} is no template: {error}") from error
    names = [name for _, name, _, _ in parts if name is not None]
    for _, name, form, conversion in parts:
        if name is not None and (name not in COLUMNS or form or conversion):
            known = ", ".join(f"{{{column}}}" for column in COLUMNS)
            raise InvalidSettings(f"STORAGE_PATH_TEMPLATE {template!r}: {{{name}}} is not known; use {known}")
    if not names or re.search(r"^/|(?:^|/)\.\.(?:/|$)|\0", template):
        example = "{user_id}/{uuid}.pdf"
        raise InvalidSettings(
            f"STORAGE_PATH_TEMPLATE {template!r} must name a file below STORAGE_BASE_PATH, such as {example}"
        )
    return list(dict.fromkeys(names))
