"""A server in the hands of a program: documents go there, and Markdown comes back."""

import io
import os
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias, TypedDict, Unpack

from blobforge.client import dealings
from blobforge.client.async_connection import AsyncConnection
from blobforge.client.connection import Connection, Credentials
from blobforge.client.dealings import Choosing
from blobforge.client.steps import Found, Steps, carry_out, carry_out_in_loop
from blobforge.config.environment import FILE, secret_in_file
from blobforge.domain.errors import InvalidSettings, InvalidValue
from blobforge.domain.job import NewJob
from blobforge.domain.json_value import JsonObject
from blobforge.domain.priority import Priority, check_priority
from blobforge.library.document import ConvertedDocument
from blobforge.library.reading import read_result
from blobforge.library.sources import ConvertOptions, name_of, processor_options
from blobforge.ports.processor import Report
from blobforge.wire.api import JobView
from blobforge.wire.many import JobProblem, SteeredJobs

RemoteSource: TypeAlias = str | os.PathLike[str] | bytes
"""A path, or bytes."""

SERVER_URL, TOKEN, PROJECT = "BLOBFORGE_SERVER_URL", "BLOBFORGE_TOKEN", "BLOBFORGE_PROJECT"


class SubmitOptions(TypedDict, total=False):
    """What can be said of a document that is submitted."""

    name: str
    """How it is called; that of its file, unless you say."""
    priority: int
    """From 1 (critical) to 5 (background); 3, unless you say another."""
    tags: tuple[str, ...]
    type: str
    """What kind of job; `pdf`, unless you say another."""
    options: ConvertOptions
    """As for `convert`, without `pages` and `password`: a server converts whole documents, and is told no password."""


class JobConditions(TypedDict, total=False):
    """Which jobs, of those in a state: all of this must hold."""

    type: str
    code: str
    """Of the error, such as `timed_out`."""
    tag: str
    search: str
    """The beginning of a hash, or words of the path."""
    since: datetime
    """Changed then or later."""
    gaps: bool
    doubts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SteeredMany:
    """What became of many jobs: the ids of those that were steered, and what kept the others."""

    matched: int
    jobs: tuple[int, ...]
    problems: tuple[JobProblem, ...]

    @property
    def done(self) -> int:
        return len(self.jobs)


def _token_of_environment() -> str | None:
    """Raises InvalidSettings."""
    told, path = os.environ.get(TOKEN), os.environ.get(f"{TOKEN}{FILE}")
    return told or (secret_in_file(TOKEN, path) if path else None) or None


class _Access:
    """To which server, as whom, and for which project: what is not said is taken from the environment. A project that
    nobody says is the server's to say."""

    def __init__(self, url: str | None, token: str | None, project: str | None) -> None:
        self.url = url or os.environ.get(SERVER_URL, "")
        if not self.url:
            raise InvalidSettings(f"which server? Say Client('https://…'), or set {SERVER_URL}")
        self.credentials = Credentials(token=token or _token_of_environment())
        self.project = project or os.environ.get(PROJECT) or None

    def new_job(self, source: RemoteSource, said: SubmitOptions) -> NewJob:
        """Raises InvalidOptions, InvalidValue."""
        name = name_of(source, said.get("name"))
        return dealings.new_job(
            project=self.project,
            job_type=said.get("type", "pdf"),
            name=name,
            priority=check_priority(said.get("priority", Priority.NORMAL)),
            options=_whole(processor_options(said["options"])) if "options" in said else {},
            tags=tuple(said.get("tags", ())),
        )

    def choosing(
        self, jobs: Iterable[JobView | int] | None, status: str | None, said: JobConditions, *, dry_run: bool
    ) -> Choosing:
        """Raises InvalidValue."""
        if (jobs is None) == (status is None):
            raise InvalidValue("name the jobs, or say by 'status' which: one of both")
        if jobs is not None:
            return Choosing(ids=tuple(dict.fromkeys(map(_id, jobs))), is_dry_run=dry_run)
        facts: dict[str, object] = {**said, "status": status, "project": self.project}
        facts["q"] = facts.pop("search", None)
        return Choosing(where=dealings.choice(facts), is_dry_run=dry_run)


class Client:
    """A server of BlobForge. Threads may share it; close it, or use it in a `with`.

    Each method raises a BlobForgeError, whose `code` is stable: StoreUnavailable where the server does not answer,
    NotSignedIn and Forbidden where the token is not good enough.
    """

    def __init__(self, url: str | None = None, *, token: str | None = None, project: str | None = None) -> None:
        """What is None is taken from BLOBFORGE_SERVER_URL, BLOBFORGE_TOKEN and BLOBFORGE_PROJECT. Without a project it
        is the one that the token is for, and `default` for a token of all projects.

        Raises InvalidSettings.
        """
        self._access = _Access(url, token, project)
        self._connection = Connection(self._access.url, self._access.credentials)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def submit(self, source: RemoteSource, **said: Unpack[SubmitOptions]) -> JobView:
        """Queues a document, whose bytes are sent where the server has not got them from this project. One that is
        known keeps its job, which is queued again where it was dead or cancelled."""
        return self._done(dealings.submitted(self._connection, _source(source), self._access.new_job(source, said)))

    def wait(self, job: JobView | int, *, on_progress: Report | None = None, timeout: float | None = None) -> JobView:
        """The job once it has ended, well or not; a server that restarts is waited for. `on_progress` hears what the
        worker reports with its signs of life. Raises NotReady after `timeout` seconds."""
        return self._done(dealings.waited_for(_id(job), on_progress=on_progress, timeout=timeout))

    def convert(
        self,
        source: RemoteSource,
        *,
        on_progress: Report | None = None,
        timeout: float | None = None,
        **said: Unpack[SubmitOptions],
    ) -> ConvertedDocument:
        """Submits, waits and reads: what `blobforge.convert` gives. Raises the error that its job ended with."""
        job = self.wait(self.submit(source, **said), on_progress=on_progress, timeout=timeout)
        return self.result(job)

    def result(self, job: JobView | int) -> ConvertedDocument:
        """Of a job that is completed. Raises the error that it ended with."""
        return read_result(io.BytesIO(self._done(dealings.result_of(self._seen(job)))))

    def download(self, job: JobView | int, path: str | os.PathLike[str]) -> Path:
        """The archive of its result, as a file that `blobforge.read_result` reads."""
        self._done(dealings.result_of(self._seen(job), target=Path(path)))
        return Path(path)

    def jobs(
        self,
        *,
        status: str | None = None,
        type: str | None = None,  # noqa: A002 - the name of the query
        search: str | None = None,
    ) -> Iterator[JobView]:
        """Newest first; asked for page by page."""
        after: str | None = None
        while True:
            page = self._done(
                dealings.page_of(
                    self._connection,
                    status=status,
                    job_type=type,
                    project=self._access.project,
                    search=search,
                    after=after,
                )
            )
            yield from page.jobs
            if (after := page.next) is None:
                return

    def job(self, job_id: int) -> JobView:
        return self._done(dealings.looked_up(job_id))

    def retry(self, job: JobView | int, *, priority: int | None = None) -> JobView:
        """Runs a job again, also a completed one; its result stays until there is a new one."""
        return self._done(dealings.retried(_id(job), priority=priority))

    def cancel(self, job: JobView | int) -> JobView:
        """Cancels a job; one that runs is ended by its worker."""
        return self._done(dealings.cancelled(_id(job)))

    def retry_many(
        self,
        jobs: Iterable[JobView | int] | None = None,
        *,
        status: str | None = None,
        priority: int | None = None,
        dry_run: bool = False,
        **said: Unpack[JobConditions],
    ) -> SteeredMany:
        """Runs many jobs again: these, or all of this `status` for which the rest holds, too. One that cannot be
        retried is told among the problems, and the others are. `dry_run` changes nothing."""
        which = self._access.choosing(jobs, status, said, dry_run=dry_run)
        return _together(self._done(dealings.many_retried(self._connection, which, priority=priority)))

    def cancel_many(
        self,
        jobs: Iterable[JobView | int] | None = None,
        *,
        status: str | None = None,
        dry_run: bool = False,
        **said: Unpack[JobConditions],
    ) -> SteeredMany:
        """Cancels many jobs, chosen as `retry_many` has it; those that run are ended by their workers."""
        which = self._access.choosing(jobs, status, said, dry_run=dry_run)
        return _together(self._done(dealings.many_cancelled(self._connection, which)))

    def prioritize(self, job: JobView | int, priority: int) -> JobView:
        return self._done(dealings.prioritized(_id(job), check_priority(priority)))

    def _seen(self, job: JobView | int) -> JobView:
        return job if isinstance(job, JobView) else self.job(job)

    def _done(self, steps: Steps[Found]) -> Found:
        return carry_out(steps, self._connection)


class AsyncClient:
    """The same within an event loop, to which it belongs."""

    def __init__(self, url: str | None = None, *, token: str | None = None, project: str | None = None) -> None:
        """As Client."""
        self._access = _Access(url, token, project)
        self._connection = AsyncConnection(self._access.url, self._access.credentials)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._connection.close()

    async def submit(self, source: RemoteSource, **said: Unpack[SubmitOptions]) -> JobView:
        """As Client."""
        new = self._access.new_job(source, said)
        return await self._done(dealings.submitted(self._connection, _source(source), new))

    async def wait(
        self, job: JobView | int, *, on_progress: Report | None = None, timeout: float | None = None
    ) -> JobView:
        """As Client; `on_progress` is called in the event loop."""
        return await self._done(dealings.waited_for(_id(job), on_progress=on_progress, timeout=timeout))

    async def convert(
        self,
        source: RemoteSource,
        *,
        on_progress: Report | None = None,
        timeout: float | None = None,
        **said: Unpack[SubmitOptions],
    ) -> ConvertedDocument:
        """As Client."""
        job = await self.wait(await self.submit(source, **said), on_progress=on_progress, timeout=timeout)
        return await self.result(job)

    async def result(self, job: JobView | int) -> ConvertedDocument:
        """As Client."""
        return read_result(io.BytesIO(await self._done(dealings.result_of(await self._seen(job)))))

    async def download(self, job: JobView | int, path: str | os.PathLike[str]) -> Path:
        """As Client."""
        await self._done(dealings.result_of(await self._seen(job), target=Path(path)))
        return Path(path)

    async def jobs(
        self,
        *,
        status: str | None = None,
        type: str | None = None,  # noqa: A002 - the name of the query
        search: str | None = None,
    ) -> AsyncIterator[JobView]:
        """As Client."""
        after: str | None = None
        while True:
            page = await self._done(
                dealings.page_of(
                    self._connection,
                    status=status,
                    job_type=type,
                    project=self._access.project,
                    search=search,
                    after=after,
                )
            )
            for job in page.jobs:
                yield job
            if (after := page.next) is None:
                return

    async def job(self, job_id: int) -> JobView:
        return await self._done(dealings.looked_up(job_id))

    async def retry(self, job: JobView | int, *, priority: int | None = None) -> JobView:
        """As Client."""
        return await self._done(dealings.retried(_id(job), priority=priority))

    async def cancel(self, job: JobView | int) -> JobView:
        """As Client."""
        return await self._done(dealings.cancelled(_id(job)))

    async def retry_many(
        self,
        jobs: Iterable[JobView | int] | None = None,
        *,
        status: str | None = None,
        priority: int | None = None,
        dry_run: bool = False,
        **said: Unpack[JobConditions],
    ) -> SteeredMany:
        """As Client."""
        which = self._access.choosing(jobs, status, said, dry_run=dry_run)
        return _together(await self._done(dealings.many_retried(self._connection, which, priority=priority)))

    async def cancel_many(
        self,
        jobs: Iterable[JobView | int] | None = None,
        *,
        status: str | None = None,
        dry_run: bool = False,
        **said: Unpack[JobConditions],
    ) -> SteeredMany:
        """As Client."""
        which = self._access.choosing(jobs, status, said, dry_run=dry_run)
        return _together(await self._done(dealings.many_cancelled(self._connection, which)))

    async def prioritize(self, job: JobView | int, priority: int) -> JobView:
        return await self._done(dealings.prioritized(_id(job), check_priority(priority)))

    async def _seen(self, job: JobView | int) -> JobView:
        return job if isinstance(job, JobView) else await self.job(job)

    async def _done(self, steps: Steps[Found]) -> Found:
        return await carry_out_in_loop(steps, self._connection)


def _id(job: JobView | int) -> int:
    return job.id if isinstance(job, JobView) else job


def _together(told: Sequence[SteeredJobs]) -> SteeredMany:
    return SteeredMany(
        matched=sum(part.matched for part in told),
        jobs=tuple(job_id for part in told for job_id in part.jobs),
        problems=tuple(problem for part in told for problem in part.problems),
    )


def _source(source: RemoteSource) -> Path | bytes:
    return source if isinstance(source, bytes) else Path(source)


def _whole(options: JsonObject) -> JsonObject:
    """Raises InvalidSettings for what a server does not do."""
    if "pages" in options:
        raise InvalidSettings("a server converts whole documents: leave out 'pages'")
    return options
