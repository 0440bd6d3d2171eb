"""What a queue in a bucket means for other settings, and the short way to name one: a bucket and a prefix."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from blobforge.config.reading import Given, Layer, Provenance
from blobforge.domain.addresses import is_readable, shown_address

PREFIX = "pdf/"
LEASE_SECONDS = 900.0
_KEYS = ("s3_access_key_id", "s3_secret_access_key")


class CompletedSettings(NamedTuple):
    """`given` with what follows from it, each with the origin of what it follows from."""

    given: Mapping[str, Given]
    refused: tuple[str, ...]
    doubts: tuple[str, ...]


def with_what_follows(given: Mapping[str, Given]) -> CompletedSettings:
    """An explicit queue, store or lease wins over what would follow."""
    completed = dict(given)
    bucket = _bucket(given)
    queue = completed.get("queue") or _behind_a_server(given) or _database(given) or bucket
    if queue is not None:
        completed["queue"] = queue
    is_in_bucket = queue is not None and _place(queue.value) is not None
    store = completed.get("store") or (queue if is_in_bucket else bucket)
    if store is not None:
        completed["store"] = store
    if is_in_bucket:
        completed.setdefault("lease_seconds", _lease(given))
    refused = [*(_another_store(queue, store) if is_in_bucket else ())]
    if any(url is not None and _place(url.value) is not None for url in (queue, store)):
        refused += _half_of_the_keys(given)
    doubts = (*_about_the_bucket(given, bucket), *_about_the_lease(given, is_in_bucket=is_in_bucket))
    return CompletedSettings(completed, tuple(refused), doubts)


def _behind_a_server(given: Mapping[str, Given]) -> Given | None:
    """What is no address of a server is told of the setting itself, and not of the queue."""
    url = given.get("server_url")
    if url is None or not str(url.value).startswith(("http://", "https://")):
        return None
    return url if is_readable(str(url.value)) else None


def _database(given: Mapping[str, Given]) -> Given | None:
    """The queue of a server, in a file; a bucket beside it is its store alone."""
    path = given.get("db_path")
    if path is None or not str(path.value) or str(path.value).lower() == "auto":
        return None
    return Given(f"sqlite:///{quote(str(Path(str(path.value)).expanduser().absolute()))}", path.provenance)


def _bucket(given: Mapping[str, Given]) -> Given | None:
    bucket = given.get("s3_bucket")
    if bucket is None or not isinstance(bucket.value, str) or not bucket.value:
        return None
    otherwise = "" if _database(given) is not None else PREFIX
    prefix = str(given["s3_prefix"].value) if "s3_prefix" in given else otherwise
    path = prefix.strip("/")
    return Given(f"s3://{bucket.value}/{quote(path)}{'/' if path else ''}", bucket.provenance)


def _lease(given: Mapping[str, Given]) -> Given:
    minutes = given.get("stale_timeout_minutes")
    number = _number(minutes)
    if minutes is None or number is None:
        return Given(LEASE_SECONDS, Provenance(Layer.DEFAULT))
    return Given(number * 60, minutes.provenance)


def _another_store(queue: Given | None, store: Given | None) -> Iterator[str]:
    assert queue
    assert store
    if _place(store.value) != _place(queue.value):
        yield (
            f"{store.provenance}: a queue in a bucket keeps its documents beside its jobs, in "
            f"{_shown(queue)} (from {queue.provenance}), and not in {_shown(store)}; unset it"
        )


def _half_of_the_keys(given: Mapping[str, Given]) -> Iterator[str]:
    """One without the other is of no use, also to the SDK, which would not look in its own places for the rest."""
    there = [name for name in _KEYS if name in given and str(given[name].value).lower() != "auto"]
    if len(there) != 1:
        return
    missing = next(name for name in _KEYS if name not in there)
    yield (
        f"{_variable(missing)} is missing beside {_variable(there[0])} (from {given[there[0]].provenance}): set both, "
        "or none of them to use the keys of the AWS SDK"
    )


def _variable(name: str) -> str:
    return f"BLOBFORGE_{name.upper()}"


def _about_the_bucket(given: Mapping[str, Given], bucket: Given | None) -> Iterator[str]:
    if bucket is None:
        if "s3_prefix" in given and "s3_bucket" not in given:
            yield f"{given['s3_prefix'].provenance}: it has no effect without a bucket; set BLOBFORGE_S3_BUCKET"
        return
    named = [given[name] for name in ("queue", "store") if name in given]
    elsewhere = [url for url in named if _place(url.value) != _place(bucket.value)]
    if len(elsewhere) == 2:
        yield f"{bucket.provenance}: it has no effect, since the queue and the store are named by themselves"
    elif elsewhere and _place(elsewhere[0].value) is not None:
        yield f"{bucket.provenance}: {_shown(elsewhere[0])} from {elsewhere[0].provenance} is used and not this bucket"


def _about_the_lease(given: Mapping[str, Given], *, is_in_bucket: bool) -> Iterator[str]:
    minutes, lease = given.get("stale_timeout_minutes"), given.get("lease_seconds")
    if minutes is None:
        return
    if not is_in_bucket:
        yield f"{minutes.provenance}: it is for a queue in a bucket; here BLOBFORGE_LEASE_SECONDS says the same"
    elif lease is not None and _number(lease) != (_number(minutes) or 0) * 60:
        yield f"{minutes.provenance}: it means the same as lease_seconds, which is used ({lease.provenance})"


def _number(given: Given | None) -> float | None:
    """None also for what is no number, which is told elsewhere."""
    try:
        return float(str(given.value)) if given is not None else None
    except ValueError:
        return None


def _place(url: object) -> tuple[str, str] | None:
    """The bucket and the prefix; None for what is no place in a bucket, or no URL, which is told elsewhere."""
    if not is_readable(str(url)):
        return None
    parts = urlsplit(str(url))
    return (parts.netloc, unquote(parts.path).strip("/")) if parts.scheme == "s3" else None


def _shown(url: Given) -> str:
    return shown_address(str(url.value))
