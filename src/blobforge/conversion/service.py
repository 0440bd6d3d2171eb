"""One run of `convert`: what is current stays, the rest goes through the queue, and results land in the folder."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from blobforge.conversion.current import Sorted, ToDo, sort_out
from blobforge.conversion.delivery import Delivery
from blobforge.conversion.document import ConversionAccount, ConversionOutcome, DocumentReport, InputDocument
from blobforge.conversion.intake import ConversionIntake, IntakeReceiver
from blobforge.conversion.leftovers import Pruned, emptied, left_behind, prune
from blobforge.conversion.owners import Owners, hand_over, sources_in
from blobforge.conversion.run import ConversionBackend, ConversionRun, Display, InWork
from blobforge.conversion.tree import assign, assign_to
from blobforge.conversion.writing import require_writable
from blobforge.domain.ids import RecipeId, SourceHash
from blobforge.domain.job import NewJob
from blobforge.domain.json_value import JsonObject
from blobforge.domain.recipe import Recipe
from blobforge.ingest.links import Links
from blobforge.ingest.scan import FoundFile, Seen, scan
from blobforge.ingest.selection import EVERYTHING, Selection
from blobforge.ports.hash_cache import HashCache, HashedFile
from blobforge.ports.output_ledger import OutputLedger
from blobforge.ports.processor import Processor
from blobforge.worker.order import Order

__all__ = ["ConversionBackend", "ConversionRequest", "ConversionService", "Display", "InWork"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionRequest:
    """`out` is a folder, or with `to_file` the Markdown file that the one document becomes."""

    paths: Sequence[Path]
    out: Path
    options: JsonObject
    to_file: bool = False
    selection: Selection = EVERYTHING
    password_file: str | None = None
    force: bool = False
    follow_links: bool = False

    @property
    def place(self) -> str:
        # Not resolved: whoever reaches the folder by a link sees the names that they typed.
        return os.path.abspath(self.out)  # noqa: PTH100

    @property
    def folder(self) -> Path:
        return Path(self.place).parent if self.to_file else Path(self.place)


class Scanned(NamedTuple):
    """What the scan of a request's paths has found, before any work."""

    recipe: Recipe
    sources: dict[str, str]
    """From which documents the outputs were made that are there, by the ledger."""
    hashed: list[HashedFile]
    refused: list[DocumentReport]
    current: list[DocumentReport]
    to_do: list[ToDo]
    passed_over: list[str]
    links_not_followed: list[str]
    left_behind: list[str]
    emptied: list[str]


class ConversionService:
    def __init__(
        self,
        *,
        hashes: HashCache,
        ledger: OutputLedger,
        processor: Processor,
        open_backend: Callable[[Recipe], ConversionBackend],
        new_job: Callable[[SourceHash, InputDocument, str], NewJob],
        display: Display,
    ) -> None:
        self._hashes = hashes
        self._ledger = ledger
        self._processor = processor
        self._open_backend = open_backend
        self._new_job = new_job
        self._display = display
        # A plain flag: setting an Event takes a lock, which a second signal would wait for within the first.
        self._stopped = False
        self._run: ConversionRun | None = None

    def stop(self) -> None:
        """Ends the run soon; what is finished stays finished. May be called from a signal handler."""
        self._stopped = True
        if self._run is not None:
            self._run.stop()

    def run(self, request: ConversionRequest) -> ConversionAccount:
        """Raises InvalidOptions, EngineUnavailable, OutputError when nothing can be written, StoreUnavailable."""
        began = time.monotonic()
        found = self._look(request)
        self._hashes.remember(found.hashed)
        hand_over(self._ledger, found.current, found.sources)
        account = ConversionAccount(documents=list(found.refused))
        if found.to_do:
            require_writable(request.folder)
            self._begin(found.to_do, refused=len(found.refused))
        for report in found.refused:
            self._display.document(report)
        account.documents += found.current
        if found.to_do:
            self._work(request, found.recipe, found.to_do, account)
        return self._finished(account, found, began)

    def dry_run(self, request: ConversionRequest) -> ConversionAccount:
        """What `run` would do, without doing any of it. Raises InvalidOptions, EngineUnavailable."""
        began = time.monotonic()
        found = self._look(request)
        for report in found.refused:
            self._display.document(report)
        planned = [
            DocumentReport(path=document.stat.path, outcome=ConversionOutcome.TO_CONVERT, output=document.output)
            for document, _ in found.to_do
        ]
        return self._finished(ConversionAccount(documents=[*found.refused, *found.current, *planned]), found, began)

    def prune(self, request: ConversionRequest, outputs: Sequence[str]) -> Pruned:
        """Removes outputs that were left behind, but nothing that a person has edited. Raises OutputError."""
        return prune(self._ledger, request.place, outputs)

    def _finished(self, account: ConversionAccount, found: Scanned, began: float) -> ConversionAccount:
        account.documents.sort(key=lambda report: report.path)
        account.passed_over = found.passed_over
        account.left_behind, account.emptied = found.left_behind, found.emptied
        account.left = max(len(found.refused) + len(found.current) + len(found.to_do) - len(account.documents), 0)
        account.links_not_followed = found.links_not_followed
        account.interrupted = self._stopped
        account.seconds = time.monotonic() - began
        return account

    def _look(self, request: ConversionRequest) -> Scanned:
        recipe = self._processor.recipe(request.options)
        passed_over: list[str] = []
        place = request.place
        links = Links(request.paths, follow_all=request.follow_links)
        met = scan(request.paths, skip=Path(place), stopped=self._is_stopped, links=links)
        seen = _wanted(met, request.selection, passed_over)
        below = {} if request.to_file else self._ledger.sources_below(place)
        sources = sources_in(self._ledger, [place]) if request.to_file else below
        owners = Owners(self._ledger, self._hashes, {} if request.force else sources, stopped=self._is_stopped)
        assigned = assign_to if request.to_file else assign
        placed = list(assigned(seen, place, refusal=owners.refusal))
        documents = [entry for entry in placed if isinstance(entry, InputDocument)]
        current, to_do = self._sort_out(documents, request, recipe.id)
        wanted = {document.output for document in documents}
        refused = [entry for entry in placed if isinstance(entry, DocumentReport)]
        behind = left_behind(below, wanted=wanted)
        there = [*passed_over, *(entry.path for entry in refused), *(document.stat.path for document in documents)]
        return Scanned(
            recipe=recipe,
            sources=sources,
            hashed=owners.hashed,
            refused=refused,
            current=current,
            to_do=to_do,
            passed_over=passed_over,
            links_not_followed=links.not_followed,
            left_behind=behind,
            emptied=emptied(below, behind, paths=request.paths, met=there),
        )

    def _is_stopped(self) -> bool:
        return self._stopped

    def _sort_out(self, documents: Sequence[InputDocument], request: ConversionRequest, recipe_id: RecipeId) -> Sorted:
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

    def _work(
        self, request: ConversionRequest, recipe: Recipe, items: Sequence[ToDo], account: ConversionAccount
    ) -> None:
        # Whoever takes over what this run leaves must have what it needs.
        needs = self._processor.needs(request.options)
        order = Order(options=request.options, password_file=request.password_file, needs=needs).as_metadata()
        backend = self._open_backend(recipe)

        def open_intake(receiver: IntakeReceiver) -> ConversionIntake:
            return ConversionIntake(
                backend.coordinator,
                self._hashes,
                receiver,
                new_job=lambda source_hash, document: self._new_job(source_hash, document, order),
                stopped=self._is_stopped,
                bringer=backend.bringer,
            )

        try:
            delivery = Delivery(backend.results, self._ledger, recipe.id, force=request.force)
            self._run = run = ConversionRun(backend, delivery, self._display, account, order, open_intake=open_intake)
            # A signal that came before there was a run to stop.
            if self._stopped:
                return
            run.carry_out(items)
            if not self._stopped:
                run.give_up_waiting()
        finally:
            backend.close()


def _wanted(seen: Iterable[Seen], selection: Selection, passed_over: list[str]) -> Iterator[Seen]:
    for entry in seen:
        if isinstance(entry, FoundFile) and not selection.takes(entry.relative, entry.stat.size):
            passed_over.append(entry.stat.path)
        else:
            yield entry
