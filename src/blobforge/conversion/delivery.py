"""Writes results from the result store to the outputs of the documents that wait for them, and records that."""

from collections.abc import Callable
from contextlib import suppress

from blobforge.conversion.current import report_of
from blobforge.conversion.document import ConversionOutcome, DocumentReport, InputDocument, failed
from blobforge.conversion.owners import require_own, with_owner
from blobforge.conversion.writing import read_result, require_writing, write_files
from blobforge.domain.errors import BlobForgeError, ResultDamaged
from blobforge.domain.ids import RecipeId, SourceHash
from blobforge.domain.json_value import JsonObject
from blobforge.domain.result_record import record_in
from blobforge.ports.blob_store import BlobKey, result_key
from blobforge.ports.output_ledger import Output, OutputLedger
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.worker.results import ResultStore

AT_ONCE = 500
SECONDS = 2.0


class Delivery:
    """For one run, and so for one recipe."""

    def __init__(
        self,
        results: ResultStore,
        ledger: OutputLedger,
        recipe_id: RecipeId,
        *,
        force: bool,
        monotonic: Callable[[], float] = SYSTEM_RUNTIME.monotonic,
    ) -> None:
        self._monotonic = monotonic
        self._results = results
        self._ledger = ledger
        self._recipe_id = recipe_id
        self._force = force
        self._written: list[Output] = []
        self._noted_at = self._monotonic()

    def summary(self, source_hash: SourceHash, job_result: JsonObject) -> JsonObject | None:
        """What is known of the result by our recipe; None when there is none, since the job was run by another."""
        if job_result.get("recipe") == self._recipe_id:
            return job_result
        found = self._results.find(source_hash, self._recipe_id)
        return None if found is None else found.summary

    def deliver(
        self, source_hash: SourceHash, document: InputDocument, summary: JsonObject, outcome: ConversionOutcome
    ) -> DocumentReport:
        """An error is this document's failure alone. `write_down` is due after it."""
        output = output_for(document, source_hash, self._recipe_id, summary)
        try:
            output = self._put_in_place(output)
        except BlobForgeError as error:
            return failed(document.stat.path, error)
        return report_of(document, output, outcome)

    def write_down_when_due(self) -> None:
        """In batches: files are synced before they are recorded, and a sync costs the same for one as for many."""
        if len(self._written) >= AT_ONCE or self._monotonic() - self._noted_at > SECONDS:
            self.write_down()

    def write_down(self) -> None:
        """Records what was written since the last call, in one step. A lost record costs a comparison of files."""
        outputs, self._written = self._written, []
        self._noted_at = self._monotonic()
        if outputs:
            self._ledger.write(outputs)

    def _put_in_place(self, output: Output) -> Output:
        key = result_key(output.source_hash, self._recipe_id)
        try:
            output = put_in_place(self._results, self._ledger, key, output, force=self._force)
        except ResultDamaged:
            # Thrown away, so that the next run makes it anew.
            with suppress(BlobForgeError):
                self._results.discard(key)
            raise
        self._written.append(output)
        return output


def put_in_place(results: ResultStore, ledger: OutputLedger, key: BlobKey, output: Output, *, force: bool) -> Output:
    """Writes the files of a result; what comes back is for the ledger. Raises NotFound, OutputError."""
    # Asked for now and not when the run began: another run may have been here since.
    before = ledger.written([output.path]).get(output.path)
    require_own(output, before, force=force)
    with results.open(key) as archive:
        files = write_files(output.path, read_result(archive, output.path), before, force=force)
    return with_owner(output, before)._replace(files=tuple(files))


def require_putting(results: ResultStore, ledger: OutputLedger, key: BlobKey, output: Output, *, force: bool) -> None:
    """Makes all checks of put_in_place, and writes nothing. Raises NotFound, OutputError."""
    before = ledger.written([output.path]).get(output.path)
    require_own(output, before, force=force)
    with results.open(key) as archive:
        require_writing(output.path, read_result(archive, output.path), before, force=force)


def output_for(document: InputDocument, source_hash: SourceHash, recipe_id: RecipeId, summary: JsonObject) -> Output:
    """What the ledger will say of a document, before anything is written."""
    record = record_in(summary)
    return Output(
        path=document.output,
        source_hash=source_hash,
        recipe_id=recipe_id,
        pages=record.pages,
        pages_failed=record.pages_failed,
        codes=tuple(record.codes),
        files=(),
        source=document.stat.path,
        doubts=record.doubts,
        result_size=record.size,
        warnings=tuple(record.warnings),
    )
