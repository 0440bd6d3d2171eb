"""One run of `convert`: what is current stays, the rest goes through the queue, and results land in the folder."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from blobforge.conversion.current import Sorted, ToDo, sort_out
from blobforge.conversion.delivery import Delivery
from blobforge.conversion.document import Account, Document, DocumentReport
from blobforge.conversion.intake import Desk, Intake
from blobforge.conversion.run import Display, Run, Workshop
from blobforge.conversion.tree import assign
from blobforge.conversion.writing import require_writable
from blobforge.domain.ids import RecipeId, SourceHash
from blobforge.domain.job import NewJob
from blobforge.domain.json_value import JsonObject
from blobforge.ingest.scan import scan
from blobforge.ports.hash_cache import HashCache
from blobforge.ports.output_ledger import OutputLedger
from blobforge.ports.processor import Processor
from blobforge.worker.order import Order

__all__ = ["Conversion", "ConversionRequest", "Display", "Workshop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionRequest:
    paths: Sequence[Path]
    out: Path
    options: JsonObject
    password_file: str | None = None
    force: bool = False


class Conversion:
    def __init__(
        self,
        *,
        hashes: HashCache,
        ledger: OutputLedger,
        processor: Processor,
        open_workshop: Callable[[], Workshop],
        new_job: Callable[[SourceHash, Document, str], NewJob],
        display: Display,
    ) -> None:
        self._hashes = hashes
        self._ledger = ledger
        self._processor = processor
        self._open_workshop = open_workshop
        self._new_job = new_job
        self._display = display
        # A plain flag: setting an Event takes a lock, which a second signal would wait for within the first.
        self._stopped = False
        self._run: Run | None = None

    def stop(self) -> None:
        """Ends the run soon; what is finished stays finished. May be called from a signal handler."""
        self._stopped = True
        if self._run is not None:
            self._run.stop()

    def run(self, request: ConversionRequest) -> Account:
        """Raises InvalidOptions, EngineUnavailable, OutputError when nothing can be written, StoreUnavailable."""
        began = time.monotonic()
        recipe_id = self._processor.recipe(request.options).id
        # Not resolved: whoever reaches the folder by a link sees the names that they typed.
        out = os.path.abspath(request.out)  # noqa: PTH100
        placed = list(assign(scan(request.paths, skip=Path(out), stopped=self._is_stopped), out))
        current, to_do = self._sort_out([entry for entry in placed if isinstance(entry, Document)], request, recipe_id)
        account = Account(documents=[entry for entry in placed if isinstance(entry, DocumentReport)])
        if to_do:
            require_writable(Path(out))
            self._begin(to_do, refused=len(account.documents))
        for report in account.documents:
            self._display.document(report)
        account.documents += current
        if to_do:
            self._work(request, recipe_id, to_do, account)
        account.documents.sort(key=lambda report: report.path)
        account.interrupted = self._stopped
        account.seconds = time.monotonic() - began
        return account

    def _is_stopped(self) -> bool:
        return self._stopped

    def _sort_out(self, documents: Sequence[Document], request: ConversionRequest, recipe_id: RecipeId) -> Sorted:
        return sort_out(
            documents,
            hashes=self._hashes,
            ledger=self._ledger,
            recipe_id=recipe_id,
            # Asked once, and only when a document has gaps: it may have to call a program.
            mended=cache(lambda: self._processor.mended(request.options)),
            force=request.force,
        )

    def _begin(self, items: Sequence[ToDo], *, refused: int) -> None:
        self._display.begin(documents=len(items) + refused, size=sum(item.document.stat.size for item in items))

    def _work(self, request: ConversionRequest, recipe_id: RecipeId, items: Sequence[ToDo], account: Account) -> None:
        order = Order(options=request.options, password_file=request.password_file).as_metadata()
        workshop = self._open_workshop()

        def open_intake(desk: Desk) -> Intake:
            return Intake(
                workshop.coordinator,
                self._hashes,
                desk,
                new_job=lambda source_hash, document: self._new_job(source_hash, document, order),
                stopped=self._is_stopped,
            )

        try:
            delivery = Delivery(workshop.shelf, self._ledger, recipe_id, force=request.force)
            self._run = run = Run(workshop, delivery, self._display, account, order, open_intake=open_intake)
            # A signal that came before there was a run to stop.
            if self._stopped:
                return
            run.carry_out(items)
            if not self._stopped:
                run.give_up_waiting()
        finally:
            workshop.close()
