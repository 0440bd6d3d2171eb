"""What another recipe would redo, and how long that may take."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from blobforge.domain.errors import NotFound, ResultDamaged
from blobforge.domain.files import FileRole
from blobforge.domain.ids import RecipeId
from blobforge.domain.job import Job, State
from blobforge.domain.json_value import JsonObject
from blobforge.domain.recipe import Recipe
from blobforge.domain.result_record import result_record
from blobforge.ports.blob_store import BlobKey, BlobStore, result_key
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter
from blobforge.results.forecast import Done, Estimate, MeasuredPace, estimate, pace_of
from blobforge.results.garbage_collection import every_job
from blobforge.results.published_by_job import Published, published_by
from blobforge.results.reprocessing import would_gain
from blobforge.worker.results import ResultStore

SAMPLE = 200
"""So many documents, the newest, tell the pace."""
ENOUGH = 3
"""So many of the same engine tell more than many of others."""


class Amount(NamedTuple):
    documents: int = 0
    pages: int = 0
    size: int = 0

    def plus(self, job: Job, pages: int) -> "Amount":
        return Amount(self.documents + 1, self.pages + pages, self.size + (job.source_size or 0))


RESULTS = "outputs/"


class Gaps(NamedTuple):
    """`pages` are missing in so many documents; of `mended` ones the reason is gone."""

    documents: int = 0
    pages: int = 0
    mended: int = 0

    def plus(self, pages: int, *, is_mended: bool) -> "Gaps":
        return Gaps(self.documents + 1, self.pages + pages, self.mended + is_mended)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stock:
    """The documents of one recipe. `recipe` is what a result of it says, None where none can be read."""

    recipe_id: RecipeId
    recipe: JsonObject | None
    amount: Amount

    @property
    def engine(self) -> str | None:
        engine = (self.recipe or {}).get("engine")
        return engine if isinstance(engine, str) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RedoPlan:
    """`done` are documents whose result is of the asked recipe; `kept` have one in the store that is not the published
    one, so that to ask for it takes no work; `redo` is the work, with those whose gaps can be mended now, and with
    `lost` ones, whose result is not in the store any more. `gaps` are all published results of the asked recipe that
    miss pages. `uncompleted` jobs are none of these."""

    recipe: Recipe
    done: Amount
    kept: Amount
    redo: Amount
    gaps: Gaps
    lost: int
    stocks: tuple[Stock, ...]
    uncompleted: int
    pace: MeasuredPace | None
    pace_is_of_engine: bool
    estimate: Estimate | None


class Redoing:
    def __init__(
        self,
        coordinator: Coordinator,
        blobs: BlobStore,
        *,
        project: str,
        job_type: str,
        are_published: bool = False,
        may_list: bool = True,
    ) -> None:
        """`are_published`: by the queue itself, so that a job is completed by its result, and none can be lost.
        `may_list`: the store tells what it has, where that of a server answers for one key after the other."""
        self._may_list = may_list
        self._are_published = are_published
        self._coordinator = coordinator
        self._blobs = blobs
        self._results = ResultStore(blobs)
        self._project = project
        self._job_type = job_type

    def plan(self, recipe: Recipe, mended: Callable[[], frozenset[str]]) -> RedoPlan:
        """Changes nothing. `mended` are codes of gaps whose reason is gone, asked for where there are any.

        Raises StoreUnavailable.
        """
        stored = self._stored(recipe)
        done, kept, redo, gaps, lost = Amount(), Amount(), Amount(), Gaps(), 0
        tallies: dict[RecipeId, _Tally] = {}
        for job, result in self._completed():
            tallies.setdefault(result.recipe_id, _Tally(result.key)).add(job, result.pages)
            record = result_record(job)
            is_mended = result.recipe_id == recipe.id and would_gain(job, mended)
            if record.has_gaps and result.recipe_id == recipe.id:
                gaps = gaps.plus(record.pages_failed, is_mended=is_mended)
            is_lost = not self._are_published and result.key not in stored
            lost += is_lost
            if result.recipe_id == recipe.id and not is_mended and not is_lost:
                done = done.plus(job, result.pages)
            elif not is_mended and result_key(job.source_hash, recipe.id) in stored:
                kept = kept.plus(job, result.pages)
            else:
                redo = redo.plus(job, result.pages)
        stocks = self._stocks(tallies)
        pace, is_of_engine = self._pace(tallies, {stock.recipe_id for stock in stocks if stock.engine == recipe.engine})
        return RedoPlan(
            recipe=recipe,
            done=done,
            kept=kept,
            redo=redo,
            gaps=gaps,
            lost=lost,
            stocks=stocks,
            uncompleted=self._uncompleted(),
            pace=pace,
            pace_is_of_engine=is_of_engine,
            estimate=estimate(pace, documents=redo.documents, pages=redo.pages) if pace and redo.documents else None,
        )

    def _stored(self, recipe: Recipe) -> Collection[BlobKey]:
        if self._may_list:
            # One listing instead of a question a document.
            return {blob.key for blob in self._blobs.list(RESULTS)}
        keys = {
            key for job, result in self._completed() for key in (result.key, result_key(job.source_hash, recipe.id))
        }
        return self._blobs.stat_many(keys)

    def _completed(self) -> Iterator[tuple[Job, Published]]:
        wanted = JobFilter(project=self._project, type=self._job_type, state=State.COMPLETED)
        for job in every_job(self._coordinator, wanted):
            if (result := published_by(job)) is not None:
                yield job, result

    def _stocks(self, tallies: Mapping[RecipeId, "_Tally"]) -> tuple[Stock, ...]:
        stocks = [
            Stock(recipe_id=recipe_id, recipe=self._recipe_in(tally.example), amount=tally.amount)
            for recipe_id, tally in tallies.items()
        ]
        return tuple(sorted(stocks, key=lambda stock: (-stock.amount.documents, stock.recipe_id)))

    def _recipe_in(self, key: BlobKey) -> JsonObject | None:
        try:
            recipe = self._results.info(key).get("recipe")
        except (NotFound, ResultDamaged):
            return None
        return recipe if isinstance(recipe, dict) else None

    def _pace(self, tallies: Mapping[RecipeId, "_Tally"], of_engine: set[RecipeId]) -> tuple[MeasuredPace | None, bool]:
        same = self._sample(tally for recipe_id, tally in tallies.items() if recipe_id in of_engine)
        if len(same) >= ENOUGH:
            return pace_of(same), True
        return pace_of(self._sample(tallies.values())), False

    def _sample(self, tallies: Iterable["_Tally"]) -> list[Done]:
        newest = sorted((job for tally in tallies for job in tally.newest), key=lambda job: job.id, reverse=True)
        return [done for job in newest[:SAMPLE] if (done := self._done(job)) is not None]

    def _done(self, job: Job) -> Done | None:
        """None for a job that found its result in the store, which has taken no work, and for one that skipped pages,
        which tells nothing of how long it takes to read them."""
        result = published_by(job)
        record = result_record(job)
        if job.started_at is None or job.completed_at is None or result is None or record.has_gaps or record.was_found:
            return None
        made = any(file.role is FileRole.OUTPUT and file.key == result.key for file in self._coordinator.files(job.id))
        return Done(job.started_at, job.completed_at, result.pages) if made and result.pages else None

    def _uncompleted(self) -> int:
        counts = self._coordinator.counts(project=self._project)
        return sum(
            count
            for (job_type, state), count in counts.items()
            if job_type == self._job_type and state is not State.COMPLETED
        )


class _Tally:
    """The documents of a recipe, of which only the newest are kept: a library has many."""

    def __init__(self, example: BlobKey) -> None:
        self.example = example
        self.amount = Amount()
        self.newest: list[Job] = []

    def add(self, job: Job, pages: int) -> None:
        self.amount = self.amount.plus(job, pages)
        if len(self.newest) < SAMPLE:
            self.newest.append(job)
