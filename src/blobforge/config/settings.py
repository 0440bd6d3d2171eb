"""Every setting with its type, its default and its meaning. The reference in docs/ is made from this file."""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from blobforge.config import values
from blobforge.config.machine import usable_cores
from blobforge.config.values import Says
from blobforge.domain.file_rights import FileRights


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class LogSettings(Section):
    """What is logged, and in which form."""

    level: Annotated[values.LogLevel, Says("The least urgent level that is logged, in upper or lower case")] = "INFO"
    format: Annotated[
        values.LogFormat, Says("JSON lines, or lines for people; `auto` means text on a terminal and JSON elsewhere")
    ] = "auto"


class RetrySettings(Section):
    """How often and how soon a failed job runs again."""

    max_attempts: Annotated[
        values.Count,
        Says("Attempts in total before a job is dead", name="max_attempts", aliases=("BLOBFORGE_MAX_RETRIES",)),
    ] = 3
    first_seconds: Annotated[values.Seconds, Says("The wait before the second attempt; later waits grow")] = 10.0
    longest_seconds: Annotated[values.Seconds, Says("The longest wait between two attempts")] = 900.0
    timed_out: Annotated[values.YesOrNo, Says("Try documents again that took too long")] = False

    @model_validator(mode="after")
    def _the_longest_wait_is_not_the_shorter(self) -> Self:
        if self.longest_seconds < self.first_seconds:
            raise ValueError(
                f"retry_longest_seconds ({self.longest_seconds:g}) is less than "
                f"retry_first_seconds ({self.first_seconds:g})"
            )
        return self


def _often_enough_for_the_lease(data: dict[str, object]) -> float:
    lease_seconds = data.get("lease_seconds")
    return min(lease_seconds / 3, 60.0) if isinstance(lease_seconds, float) else 60.0


class WorkerSettings(Section):
    """How a worker takes, keeps and gives back jobs."""

    id: Annotated[
        values.WorkerName, Says("The worker's name; the same after a restart", default="auto: from host and machine")
    ] = None
    secret: Annotated[
        values.WordOrAuto, Says("What says to a server that this is the worker of that `id`", default="none")
    ] = None
    exclusive: Annotated[
        values.YesOrNo,
        Says(
            "No other process has this worker's name: what one of that name still holds when this one starts is given "
            "back at once"
        ),
    ] = False
    slots: Annotated[
        values.Slots, Says("Documents converted at the same time", name="slots", default="the number of usable cores")
    ] = Field(default_factory=usable_cores)
    lease_seconds: Annotated[
        values.Seconds,
        Says(
            "How long a job stays with a worker that is no longer heard of",
            name="lease_seconds",
            default="180, and 900 for a queue in a bucket",
        ),
    ] = 180.0
    stale_timeout_minutes: Annotated[
        values.MinutesOrNone,
        Says(
            "Another name of `lease_seconds`, for a queue in a bucket",
            name="stale_timeout_minutes",
            default="15, as `lease_seconds` says",
        ),
    ] = None
    heartbeat_seconds: Annotated[
        values.Seconds,
        Says(
            "The time between two signs of life, less than `lease_seconds`",
            name="heartbeat_seconds",
            aliases=("BLOBFORGE_HEARTBEAT_INTERVAL",),
            default="a third of `lease_seconds`, at most 60",
        ),
    ] = Field(default_factory=_often_enough_for_the_lease)
    on_term: Annotated[
        values.OnTerm,
        Says("On SIGTERM, `release` gives running jobs back at once; `finish` ends them first", name="on_term"),
    ] = "release"
    grace_seconds: Annotated[
        values.SecondsOrNone,
        Says("How long `finish` may take before jobs are given back all the same", name="grace_seconds"),
    ] = 30.0
    run_windows: Annotated[
        values.RunWindows,
        Says("When jobs are taken, by this machine's local time", name="run_windows", default="always"),
    ] = ""
    abort_outside_window: Annotated[
        values.YesOrNo,
        Says("Give running jobs back when the run windows close, and do not finish them", name="abort_outside_window"),
    ] = False

    @model_validator(mode="after")
    def _a_heartbeat_comes_before_the_lease_ends(self) -> Self:
        if self.heartbeat_seconds >= self.lease_seconds:
            raise ValueError(
                f"heartbeat_seconds ({self.heartbeat_seconds:g}) must be less than lease_seconds "
                f"({self.lease_seconds:g}), or the lease ends before it is renewed"
            )
        return self


class ConversionSettings(Section):
    """How documents are converted."""

    engine: Annotated[values.Engine, Says("The engine that reads PDFs", name="engine")] = "blobforge"
    ocr_languages: Annotated[
        values.Languages, Says("The languages that OCR looks for", name="ocr_languages", flag="--language")
    ] = "auto"
    timeout_seconds: Annotated[
        values.Seconds,
        Says("How long one document may take in all", aliases=("BLOBFORGE_CONVERSION_TIMEOUT",)),
    ] = 3600.0
    stall_seconds: Annotated[
        values.Seconds, Says("How long a document may go without progress", name="stall_seconds")
    ] = 300.0
    cpu_seconds: Annotated[
        values.WholeSeconds, Says("Processor time that one document may take in all, its programs included")
    ] = 14_400
    max_pages: Annotated[values.Count, Says("Pages that one document may have, or that may be asked for")] = 50_000
    max_pictures: Annotated[values.Pictures, Says("Pictures that one document may have")] = 50_000


class ChildSettings(Section):
    """Limits of the child processes that do the work."""

    memory_mb: Annotated[values.Megabytes, Says("Memory that a child may take; beyond it, it is ended")] = 2048
    cpu_seconds: Annotated[values.WholeSeconds, Says("Processor time that one step of a document may take")] = 3600
    open_files: Annotated[values.OpenFiles, Says("Files that a child may hold open")] = 256
    output_mb: Annotated[values.Megabytes, Says("The largest file that a child may write")] = 2048
    workspace_mb: Annotated[values.Megabytes, Says("Disk that a document may take while it is converted")] = 8192
    processes: Annotated[values.Count, Says("Processes that a child may have at a time, itself included")] = 64
    max_jobs: Annotated[values.Count, Says("Documents after which a child is replaced")] = 1_000
    max_age_seconds: Annotated[values.Seconds, Says("The age at which a child is replaced")] = 3600.0
    recycle_mb: Annotated[values.Megabytes, Says("Memory beyond which a child is replaced after its document")] = 600
    sandbox: Annotated[
        values.Sandbox,
        Says("Whether children are shut in: as far as the system can, wholly or not at all, or never", name="sandbox"),
    ] = "auto"
    sandbox_read: Annotated[
        values.Places,
        Says(
            "Further files and folders that children may read, such as weights; devices below /dev may be used",
            name="sandbox_read",
            default="none",
        ),
    ] = ""
    environment: Annotated[
        values.Names, Says("Further variables of the environment that children get, secrets too", default="none")
    ] = ""


class S3Settings(Section):
    """How a bucket is reached. With `auto`, the AWS SDK looks in its own places (AWS_… variables, ~/.aws)."""

    endpoint_url: Annotated[
        values.EndpointUrl,
        Says("The address of a store other than AWS", aliases=("BLOBFORGE_S3_ENDPOINT",), default="auto"),
    ] = None
    access_key_id: Annotated[
        values.WordOrAuto, Says("The name of the key", aliases=("BLOBFORGE_S3_ACCESS_KEY",), default="auto")
    ] = None
    secret_access_key: Annotated[
        values.WordOrAuto, Says("The key itself", aliases=("BLOBFORGE_S3_SECRET_KEY",), default="auto")
    ] = None
    region: Annotated[values.WordOrAuto, Says("The region of the bucket", default="auto")] = None
    public_endpoint: Annotated[
        values.EndpointUrl,
        Says("The address by which clients of a server reach the store, where that is another one", default="the same"),
    ] = None


class ServerSettings(Section):
    """`blobforge server`: where it listens, where its queue is, and whom it lets in."""

    host: Annotated[values.WordOrAuto, Says("The address that it listens at", name="host", default="127.0.0.1")] = None
    port: Annotated[values.Port, Says("The port that it listens at", name="port")] = 8080
    db_path: Annotated[
        values.FileOrNone,
        Says("The file of its queue, for which `queue` need not be set", name="db_path", default="the queue"),
    ] = None
    public_url: Annotated[
        values.EndpointUrl,
        Says("The address by which clients reach it, where that is another one", name="public_url", default="its own"),
    ] = None
    trusted_proxies: Annotated[
        values.Networks,
        Says(
            "Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed",
            name="trusted_proxies",
            default="nobody",
        ),
    ] = None
    worker_timeout: Annotated[
        values.Seconds, Says("How long a worker may be silent before it counts as offline", name="worker_timeout")
    ] = 180.0
    max_document_mb: Annotated[values.Megabytes, Says("The largest document that it takes")] = 2048
    insecure: Annotated[
        values.YesOrNo,
        Says("Let everyone in who can reach it, also from other machines: for closed networks alone", name="insecure"),
    ] = False
    shutdown_seconds: Annotated[
        values.Seconds, Says("How long requests that are under way may take when it stops", name="shutdown_seconds")
    ] = 20.0


def _queue_in_home(data: dict[str, object]) -> str:
    return f"sqlite:///{_as_url_path(data['home'])}/queue.db"


def _store_in_home(data: dict[str, object]) -> str:
    return f"file://{_as_url_path(data['home'])}/blobs"


def _as_url_path(path: object) -> str:
    # Only what would end the path of a URL is written in percents, so that the rest stays readable.
    return str(path).replace("%", "%25").replace("?", "%3F").replace("#", "%23")


class Settings(Section):
    """Where things are, and what they are called."""

    home: Annotated[values.Folder, Says("The folder of the default queue and store", default="the user's data folder")]
    s3_bucket: Annotated[
        values.Bucket,
        Says(
            "A bucket for the queue and the store, for which `queue` and `store` need not be set", default="no bucket"
        ),
    ] = ""
    s3_prefix: Annotated[
        values.KeyPrefix, Says("What all names in that bucket begin with; `/` for nothing", default="pdf/")
    ] = "pdf/"
    queue: Annotated[
        values.QueueUrl,
        Says(
            "The queue; its scheme names the backend",
            default="`s3://<s3_bucket>/<s3_prefix>` where there is a bucket, or else `sqlite:///<home>/queue.db`",
        ),
    ] = Field(default_factory=_queue_in_home)
    store: Annotated[
        values.StoreUrl,
        Says(
            "Where sources and results are kept; its scheme names the backend",
            default="the place of a queue in a bucket, or else `file://<home>/blobs`",
        ),
    ] = Field(default_factory=_store_in_home)
    server_url: Annotated[
        values.ServerUrl,
        Says("A server whose queue and store are used; another name of such a `queue`", default="no server"),
    ] = ""
    token: Annotated[values.WordOrAuto, Says("What says to a server who you are", default="none")] = None
    project: Annotated[
        values.Project,
        Says(
            "The project whose jobs are meant",
            default="`default`; of a server, the one that the token or the secret is for",
        ),
    ] = "default"
    archive_days: Annotated[
        values.Days,
        Says("So many days after they were completed, jobs leave the way of the others; they are found as before"),
    ] = 30
    file_rights: Annotated[
        values.Rights,
        Says(
            "Who may read the queue, the catalogue and the store where they are files: the user alone (`private`), the "
            "folder's `group` too, or whoever the `umask` lets"
        ),
    ] = FileRights.PRIVATE
    strict: Annotated[values.YesOrNo, Says("Refuse unknown names instead of warning of them")] = False
    log: LogSettings = LogSettings()
    retry: RetrySettings = RetrySettings()
    worker: WorkerSettings = Field(default_factory=WorkerSettings)
    conversion: ConversionSettings = ConversionSettings()
    child: ChildSettings = ChildSettings()
    s3: S3Settings = S3Settings()
    server: ServerSettings = ServerSettings()
