"""What `blobforge doctor` says of a bucket."""

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.careless_s3 import Flaw
from tests.careless_s3 import running as running_careless
from tests.seaweed import Seaweed

from blobforge import doctor
from blobforge.config.settings import S3Settings, Settings
from blobforge.doctor import Finding, Verdict, buckets
from blobforge.domain.errors import InvalidSettings, PlaceInUse
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import place_of
from blobforge.ports.blob_store import S3Access
from blobforge.wiring import open_coordinator

FORMAT = {"format": "blobforge-bucket", "version": 1}
LOCK = f"queue/processing/{'a' * 64}"
SettingsOf = Callable[..., Settings]


@pytest.fixture
def url(seaweed: Seaweed) -> str:
    return f"s3://{seaweed.bucket}/{uuid.uuid4().hex}/pdf"


@pytest.fixture
def settings_of(tmp_path: Path, seaweed: Seaweed) -> SettingsOf:
    def make(access: S3Access = seaweed.access, **urls: str) -> Settings:
        return Settings.model_validate({"home": tmp_path, "s3": S3Settings(**access._asdict()), **urls})

    return make


@pytest.fixture
def store(seaweed: Seaweed, url: str) -> Iterator[ObjectStore]:
    with closing(ObjectStore(place_of(url, seaweed.access))) as store:
        yield store


def put_lock(store: ObjectStore, *, heard: datetime) -> None:
    """Of a worker of another program."""
    facts = {"worker": "oldbox", "started": heard.isoformat(), "last_heartbeat": heard.isoformat(), "retries": 0}
    store.put(LOCK, json.dumps(facts).encode())


def examined(settings: Settings) -> dict[str, Finding]:
    return {finding.name: finding for finding in buckets.examine(settings)}


def test_without_a_bucket_nothing_is_said(settings_of: SettingsOf) -> None:
    assert examined(settings_of()) == {}


def test_a_bucket_that_can_be_a_queue_is_well(settings_of: SettingsOf, url: str) -> None:
    found = examined(settings_of(queue=url, store=url))

    assert {finding.verdict for finding in found.values()} == {Verdict.OK}
    assert list(found) == [
        *("bucket", "bucket format", "bucket writers", "bucket contents", "bucket clock", "bucket rules")
    ]
    assert "SeaweedFS" in found["bucket"].message
    assert "none yet" in found["bucket format"].message


def test_a_bucket_that_cannot_be_a_queue_is_a_problem_and_the_rest_is_left_out(settings_of: SettingsOf) -> None:
    with running_careless(Flaw.IGNORES_CONDITIONS) as careless:
        settings = settings_of(careless.access, queue="s3://b/pdf", store="s3://b/pdf")
        names = {finding.name: finding.verdict for finding in doctor.examine(settings)}

    assert names["bucket"] is Verdict.PROBLEM
    assert not {"bucket format", "queue", "store"} & set(names)
    assert names["home"] is Verdict.OK


def test_the_same_bucket_is_good_for_documents_beside_another_queue(settings_of: SettingsOf) -> None:
    with running_careless(Flaw.IGNORES_CONDITIONS) as careless:
        found = examined(settings_of(careless.access, store="s3://b/pdf"))

    assert found["bucket"].verdict is Verdict.WARNING
    assert found["bucket"].message.startswith("good for documents alone: ")
    assert "bucket format" not in found


def test_keys_without_rights_are_a_problem_to_a_store_too(settings_of: SettingsOf) -> None:
    with running_careless(Flaw.DENIES) as careless:
        found = examined(settings_of(careless.access, store="s3://b/pdf"))

    assert found["bucket"].verdict is Verdict.PROBLEM
    assert "check the keys in BLOBFORGE_S3_ACCESS_KEY_ID" in found["bucket"].message


def test_an_older_queue_is_a_problem_until_it_is_adopted(settings_of: SettingsOf, url: str, store: ObjectStore) -> None:
    store.put("queue/todo/3_normal/ab12", b"{}")
    settings = settings_of(queue=url, store=url)

    before = examined(settings)["bucket format"]
    doctor.adopt(settings)
    after = examined(settings)["bucket format"]

    assert before.verdict is Verdict.PROBLEM
    assert "queue/todo/3_normal/ab12" in before.message
    assert "blobforge doctor --adopt" in before.message
    assert after.verdict is Verdict.OK
    assert "version 1, adopted from an older queue" in after.message


@pytest.mark.parametrize("is_adopted", [False, True])
def test_an_older_writer_that_is_at_work_is_told_of_before_and_after_the_adoption(
    settings_of: SettingsOf, url: str, store: ObjectStore, *, is_adopted: bool
) -> None:
    settings = settings_of(queue=url, store=url)
    if is_adopted:
        created_at = f"{store.now():%Y-%m-%dT%H:%M:%SZ}"
        store.put("registry/format.json", json.dumps({**FORMAT, "created_at": created_at}).encode())
    put_lock(store, heard=store.now() - timedelta(minutes=16))
    before = examined(settings)["bucket writers"]

    put_lock(store, heard=store.now())
    after = examined(settings)["bucket writers"]

    assert before.verdict is Verdict.OK
    assert after.verdict is Verdict.WARNING
    assert after.message.startswith(f"{LOCK} was written by an older BlobForge or another program, which is at work in")
    assert "worker oldbox, heard of " in after.message
    assert "stop it, or both will do the same jobs" in after.message


def test_a_queue_is_not_adopted_while_another_program_is_at_work_there(
    settings_of: SettingsOf, url: str, store: ObjectStore
) -> None:
    settings = settings_of(queue=url, store=url)
    put_lock(store, heard=store.now())

    with pytest.raises(PlaceInUse, match=r"the worker oldbox .* is at work in s3://.* heard of \d+ s ago.*: stop it"):
        doctor.require_unused(settings)

    put_lock(store, heard=store.now() - timedelta(minutes=16))
    doctor.require_unused(settings)


def test_nothing_is_logged_of_another_program_where_it_is_a_finding_or_what_was_asked_for(
    settings_of: SettingsOf, url: str, store: ObjectStore, caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_of(queue=url, store=url)
    put_lock(store, heard=store.now())
    store.put(f"queue/todo/3_normal/{'b' * 64}", b"{}")

    doctor.adopt(settings)
    list(doctor.examine(settings))
    assert [line for line in caplog.records if "foreign_notices" in line.name] == []

    with closing(open_coordinator(settings)) as opened:
        opened.coordinator.counts()
    assert len([line for line in caplog.records if "foreign_notices" in line.name]) == 1


def test_only_a_queue_in_a_bucket_can_be_adopted(settings_of: SettingsOf, url: str) -> None:
    with pytest.raises(InvalidSettings, match="only a queue in a bucket"):
        doctor.adopt(settings_of(store=url))


def test_what_is_not_of_blobforge_is_named_as_gc_names_it(
    settings_of: SettingsOf, url: str, store: ObjectStore
) -> None:
    known = "a" * 64
    ours = [f"store/raw/{known}.pdf", "queue/hint", f"queue/dead/{known}", "lanes/a/b/queue/hint", "registry/ids/1"]
    ours += ["outputs/a", f"store/out/{known}.zip", f"store/recipes/{known}-1.zip"]
    foreign = ["backup/1", "holiday.jpg", f"queue/todo/3_normal/{'CD' * 32}", "store/raw/mine.docx"]
    for name in [*ours, *foreign]:
        store.put(name, b"")
    settings = settings_of(queue=url, store=url)

    found = examined(settings)["bucket contents"]
    doctor.adopt(settings)
    with closing(open_coordinator(settings)) as opened:
        by_gc = opened.coordinator.references().not_understood

    assert found.verdict is Verdict.WARNING
    assert found.message.startswith(f"holiday.jpg, backup/1, {foreign[2]} and 1 more in s3://")
    assert sorted(by_gc) == foreign


def test_clocks_that_differ_are_a_warning(settings_of: SettingsOf) -> None:
    with running_careless(Flaw.LATE_CLOCK) as careless:
        found = examined(settings_of(careless.access, queue="s3://b/pdf", store="s3://b/pdf"))

    assert found["bucket clock"].verdict is Verdict.WARNING
    assert "behind this machine's" in found["bucket clock"].message


def test_versions_that_are_kept_and_objects_that_expire_are_a_warning(
    settings_of: SettingsOf, seaweed: Seaweed
) -> None:
    bucket = f"versioned-{uuid.uuid4().hex}"
    client = seaweed.client()
    client.create_bucket(Bucket=bucket)
    client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    expiring = {"ID": "tidy", "Status": "Enabled", "Filter": {"Prefix": "pdf/"}, "Expiration": {"Days": 30}}
    client.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration={"Rules": [expiring]})
    client.close()
    url = f"s3://{bucket}/pdf"

    found = examined(settings_of(queue=url, store=url))["bucket rules"]

    assert found.verdict is Verdict.WARNING
    assert "versioning is on" in found.message
    assert "deletes objects of BlobForge" in found.message


ORIGIN = "https://forge.example.org"


def of_a_server(settings_of: SettingsOf, tmp_path: Path, bucket: str, **more: str) -> Settings:
    settings = settings_of(queue=f"sqlite:///{tmp_path}/queue.db", store=f"s3://{bucket}/documents")
    server = settings.server.model_copy(update={"public_url": f"{ORIGIN}/forge", **more})
    return settings.model_copy(update={"server": server})


@pytest.fixture
def bucket(seaweed: Seaweed) -> str:
    """One of its own: a rule is of a whole bucket."""
    name = f"cors-{uuid.uuid4().hex}"
    seaweed.client().create_bucket(Bucket=name)
    return name


def allow(seaweed: Seaweed, bucket: str, *, origin: str = ORIGIN, methods: tuple[str, ...] = ("GET", "PUT")) -> None:
    rule = {"AllowedOrigins": [origin], "AllowedMethods": list(methods), "AllowedHeaders": ["content-type"]}
    seaweed.client().put_bucket_cors(Bucket=bucket, CORSConfiguration={"CORSRules": [rule]})


def test_a_bucket_that_lets_in_the_pages_of_its_server_is_well(
    settings_of: SettingsOf, seaweed: Seaweed, tmp_path: Path, bucket: str
) -> None:
    allow(seaweed, bucket)

    finding = examined(of_a_server(settings_of, tmp_path, bucket))["bucket CORS"]

    assert finding.verdict is Verdict.OK, finding.message


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"origin": "https://other.example.org"}, "may not PUT or GET there"),
        ({"methods": ("GET",)}, "may not PUT there"),
    ],
    ids=["for another place", "to read alone"],
)
def test_a_bucket_that_keeps_browsers_out_is_a_warning_with_the_rule_to_be_made(
    settings_of: SettingsOf, seaweed: Seaweed, tmp_path: Path, bucket: str, rule: dict[str, Any], said: str
) -> None:
    allow(seaweed, bucket, **rule)

    finding = examined(of_a_server(settings_of, tmp_path, bucket))["bucket CORS"]

    assert finding.verdict is Verdict.WARNING
    assert said in finding.message
    assert f'AllowedOrigins ["{ORIGIN}"]' in finding.message


def test_where_no_server_has_a_public_address_no_rule_is_asked_for(settings_of: SettingsOf, url: str) -> None:
    assert "bucket CORS" not in examined(settings_of(store=url))
