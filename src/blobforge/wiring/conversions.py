"""`convert`: a worker of its own over the queue and the store of the settings."""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from functools import cache, partial

from blobforge import plugins
from blobforge.catalog.nothing import NothingWritten
from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.config.settings import Settings
from blobforge.conversion.document import InputDocument
from blobforge.conversion.durable_ledger import DurableLedger
from blobforge.conversion.remote import Bringing, RemoteJobs
from blobforge.conversion.run import BegunWork, WorkReceiver
from blobforge.conversion.service import ConversionBackend, ConversionService, Display
from blobforge.domain.errors import InvalidOptions, InvalidSettings
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import NewJob
from blobforge.domain.recipe import Recipe
from blobforge.domain.retry import RetryPolicy
from blobforge.wiring.orders import PDF, PDF_PROCESSOR, job_for
from blobforge.wiring.pairing import require_pair
from blobforge.wiring.queues import open_catalog, open_coordinator, open_private_coordinator
from blobforge.wiring.servers import is_behind_server, on_this_machine, with_own_project
from blobforge.wiring.workers import equipment_for, make_loop, open_instance
from blobforge.worker.feed import ListFeed
from blobforge.worker.loop_settings import OnTerm
from blobforge.worker.results import ResultStore

CONVERT_RETRY = RetryPolicy(first=timedelta(seconds=0.5), longest=timedelta(seconds=5))
"""A person is waiting: what can be tried again is tried again soon."""
CONVERT_AHEAD = 8
"""So many documents a slot are claimed ahead: nobody else waits for them, and many are settled in one step."""


def open_conversion(
    settings: Settings, *, display: Display, forgets_outputs: bool = False
) -> tuple[ConversionService, Callable[[], None]]:
    """`convert` over the queue and the store of the settings; the second value closes it.

    `forgets_outputs`: nothing is written down of the output folder, because it does not last.
    What leaves out some of each document is done without touching the queue, whose jobs are everyone's.
    """
    catalog = open_catalog(settings)
    settings = on_this_machine(settings)

    def open_backend(recipe: Recipe) -> ConversionBackend:
        with ExitStack() as stack:
            if recipe.partial:
                opened = open_private_coordinator(settings, policy=CONVERT_RETRY)
            else:
                opened = open_coordinator(settings, durable=False, policy=CONVERT_RETRY)
            stack.callback(opened.close)
            require_pair(settings, opened)
            instance = open_instance(settings, opened, stack)
            equipment = equipment_for(settings, opened, {PDF: PDF_PROCESSOR}, catalog, instance)

            def begin(receiver: WorkReceiver) -> BegunWork:
                feed = ListFeed(opened.coordinator, instance.id, clock=opened.clock, on_final=receiver.found)
                # A person who waits is given no grace time, whatever the settings say of workers.
                ahead, on_term = CONVERT_AHEAD * settings.worker.slots, OnTerm.RELEASE
                loop = make_loop(settings, opened, feed, equipment, instance, receiver, ahead=ahead, on_term=on_term)
                return BegunWork(feed, loop)

            return ConversionBackend(
                coordinator=opened.coordinator,
                results=equipment[PDF].results,
                begin=begin,
                close=stack.pop_all().close,
            )

    return _service(lambda: settings, catalog, open_backend, display, forgets_outputs=forgets_outputs), catalog.close


def open_remote_conversion(
    settings: Settings, *, display: Display, forgets_outputs: bool = False
) -> tuple[ConversionService, Callable[[], None]]:
    """`convert` by the workers of a server: documents are brought there, and results come from there.

    Raises InvalidSettings where the settings name no server.
    """
    if not is_behind_server(settings):
        raise InvalidSettings("--remote is for a server: name one in BLOBFORGE_SERVER_URL, with BLOBFORGE_TOKEN")
    catalog = open_catalog(settings)
    # The server is asked for it once, and not before it is known that this can be done by one.
    in_own_project = cache(partial(with_own_project, settings))

    def open_backend(recipe: Recipe) -> ConversionBackend:
        if recipe.partial:
            raise InvalidOptions(f"a server converts whole documents: leave out {', '.join(recipe.partial)}")
        opened = open_coordinator(in_own_project(), durable=False)
        blobs = opened.blobs()
        return ConversionBackend(
            coordinator=opened.coordinator,
            results=ResultStore(blobs),
            begin=lambda receiver: BegunWork(jobs := RemoteJobs(opened.coordinator, receiver), jobs),
            close=opened.close,
            bringer=Bringing(blobs),
        )

    return _service(in_own_project, catalog, open_backend, display, forgets_outputs=forgets_outputs), catalog.close


def _service(
    settings: Callable[[], Settings],
    catalog: SqliteCatalog,
    open_backend: Callable[[Recipe], ConversionBackend],
    display: Display,
    *,
    forgets_outputs: bool,
) -> ConversionService:
    def new_job(source_hash: SourceHash, document: InputDocument, order: str) -> NewJob:
        path, size, _ = document.stat
        return job_for(settings(), source_hash, path=path, size=size, order=order, job_type=PDF)

    return ConversionService(
        hashes=catalog,
        ledger=NothingWritten() if forgets_outputs else DurableLedger(catalog),
        processor=plugins.load_processor(PDF_PROCESSOR),
        open_backend=open_backend,
        new_job=new_job,
        display=display,
    )
