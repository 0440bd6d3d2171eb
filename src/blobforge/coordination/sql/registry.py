"""What a database stores beside jobs: the identity of the queue, the workers and their service records."""

import json
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, select, update

from blobforge.coordination.sql import tables
from blobforge.coordination.sql.dialect_insert import insert
from blobforge.domain.ids import WorkerId
from blobforge.domain.json_value import canonical_json
from blobforge.domain.loose_json import json_in, object_in
from blobforge.domain.pairing import QueueIdentity
from blobforge.domain.service_record import ServiceRecord, read_record, record_json
from blobforge.domain.worker import Worker, WorkerStatus

_WORKER_COLUMNS = ("id", "type", "status", "last_heartbeat", "current_job_id", "metadata")
_SELECT_WORKERS = select(*(tables.workers.c[name] for name in _WORKER_COLUMNS)).order_by(tables.workers.c.id)
_SELECT_IDENTITY = select(tables.queue_identity.c.id, tables.queue_identity.c.store)
_records = tables.worker_records.c


def identity(
    connection: Connection, proposed: QueueIdentity | None, instead_of: QueueIdentity | None
) -> QueueIdentity | None:
    if proposed is not None:
        values = {"singleton": 1, **proposed._asdict()}
        connection.execute(insert(connection)(tables.queue_identity).values(values).on_conflict_do_nothing())
    if proposed is not None and instead_of is not None:
        is_before = tables.queue_identity.c.id == instead_of.id
        connection.execute(update(tables.queue_identity).where(is_before).values(proposed._asdict()))
    row = connection.execute(_SELECT_IDENTITY).first()
    return None if row is None else QueueIdentity(*row)


def put_worker(connection: Connection, worker: Worker) -> None:
    facts = {
        "type": worker.type,
        "status": worker.status.value,
        "last_heartbeat": worker.last_heartbeat,
        "current_job_id": worker.current_job_id,
        "metadata": canonical_json(worker.metadata),
        "updated_at": worker.last_heartbeat,
    }
    upsert = insert(connection)(tables.workers).values(id=worker.id, created_at=worker.last_heartbeat, **facts)
    connection.execute(upsert.on_conflict_do_update(index_elements=["id"], set_=facts))


def remove_worker(connection: Connection, worker_id: WorkerId) -> None:
    connection.execute(delete(tables.workers).where(tables.workers.c.id == worker_id))


def workers(connection: Connection) -> list[Worker]:
    return [_worker(row) for row in connection.execute(_SELECT_WORKERS)]


def stored_record(connection: Connection, name: str) -> str | None:
    return connection.execute(select(_records.record).where(_records.name == name)).scalar()


def replace_record(
    connection: Connection, name: str, before: str | None, after: ServiceRecord, *, now: datetime
) -> bool:
    """False when it was written since it was read."""
    values = {"record": json.dumps(record_json(after)), "updated_at": now}
    if before is None:
        add = insert(connection)(tables.worker_records).values(name=name, **values).on_conflict_do_nothing()
        return connection.execute(add.returning(_records.name)).first() is not None
    change = update(tables.worker_records).where(_records.name == name, _records.record == before).values(values)
    return connection.execute(change.returning(_records.name)).first() is not None


def records(connection: Connection) -> dict[str, ServiceRecord]:
    rows = connection.execute(select(_records.name, _records.record).order_by(_records.name))
    return {name: decoded_record(record) for name, record in rows}


def decoded_record(text: str | None) -> ServiceRecord:
    """What cannot be understood counts as nothing."""
    return read_record(json_in(text))


def _worker(row: Row[Any]) -> Worker:
    worker_id, worker_type, status, last_heartbeat, current_job_id, facts = tuple(row)
    return Worker(
        id=worker_id,
        type=worker_type,
        status=WorkerStatus(status),
        last_heartbeat=last_heartbeat,
        current_job_id=current_job_id,
        metadata=object_in(json_in(facts)),
    )
