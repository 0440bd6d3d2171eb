"""What `blobforge doctor` says of a bucket."""

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from tests.careless_s3 import Flaw
from tests.careless_s3 import running as running_careless
from tests.seaweed import Seaweed

from blobforge import doctor
from blobforge.config.settings import S3Settings, Settings
from blobforge.doctor import Finding, Verdict, buckets
from blobforge.domain.errors import InvalidSettings
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import place_of
from blobforge.ports.blob_store import S3Access

FORMAT = {"format": "blobforge-bucket", "version": 1}
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
    assert "check the keys and their rights" in found["bucket"].message


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


def test_an_older_writer_that_is_still_at_work_is_told_of(
    settings_of: SettingsOf, url: str, store: ObjectStore
) -> None:
    settings = settings_of(queue=url, store=url)
    store.put("queue/processing/ab12", b'{"worker": "from before"}')
    adopted = {**FORMAT, "created_at": f"{store.now() + timedelta(seconds=5):%Y-%m-%dT%H:%M:%SZ}"}
    store.put("registry/format.json", json.dumps(adopted).encode())
    before = examined(settings)["bucket writers"]

    store.put("registry/format.json", json.dumps({**FORMAT, "created_at": "2026-01-01T00:00:00Z"}).encode())
    store.put("queue/processing/cd34", b'{"worker": "ours", "nonce": "0f"}')
    after = examined(settings)["bucket writers"]

    assert before.verdict is Verdict.OK
    assert after.verdict is Verdict.WARNING
    assert after.message.startswith("queue/processing/ab12 was written by an older BlobForge")


def test_only_a_queue_in_a_bucket_can_be_adopted(settings_of: SettingsOf, url: str) -> None:
    with pytest.raises(InvalidSettings, match="only a queue in a bucket"):
        doctor.adopt(settings_of(store=url))


def test_what_is_not_of_blobforge_is_named(settings_of: SettingsOf, url: str, store: ObjectStore) -> None:
    ours = ["store/raw/ab.pdf", "queue/hint", "queue/dead/ab", "lanes/a/b/queue/hint", "registry/ids/1", "outputs/a"]
    ours += ["store/out/ab.zip", "store/recipes/ab-1.zip"]
    foreign = ["notes.txt", "backup/1", "queue/later/ab", "store/thumbs/ab"]
    for name in [*ours, *foreign]:
        store.put(name, b"")

    found = examined(settings_of(queue=url, store=url))["bucket contents"]

    assert found.verdict is Verdict.WARNING
    assert found.message.startswith("backup/, notes.txt, queue/later/ and 1 more in s3://")


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
