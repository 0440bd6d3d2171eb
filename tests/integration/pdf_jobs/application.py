"""The other application: its database with the documented tables, its folder of uploads, and what it does with them."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import DuplicateObject
from psycopg.rows import dict_row
from tests.postgres import Databases

HOWTO = Path(__file__).parents[3] / "docs" / "howto" / "lab-worker.md"
ROLE, PASSWORD = "lab_worker", "choose-your-own"

# "checked" is what a framework's migrations make of an enum.
_TYPES = {
    "enum": """
        CREATE TYPE disk AS ENUM ('local', 's3');
        CREATE TYPE mime AS ENUM ('application/pdf');
        CREATE TYPE job_status AS ENUM ('pending', 'processing', 'done', 'failed');
    """,
    "text": """
        CREATE DOMAIN disk AS varchar(16);
        CREATE DOMAIN mime AS varchar(64);
        CREATE DOMAIN job_status AS varchar(16);
    """,
    "checked": """
        CREATE DOMAIN disk AS varchar(255) CHECK (VALUE IN ('local', 's3'));
        CREATE DOMAIN mime AS varchar(255) CHECK (VALUE IN ('application/pdf'));
        CREATE DOMAIN job_status AS varchar(255) CHECK (VALUE IN ('pending', 'processing', 'done', 'failed'));
    """,
}
_TABLES = """
    CREATE TABLE uploaded_documents (
        id bigserial PRIMARY KEY, uuid uuid NOT NULL, user_id bigint NOT NULL, storage_disk disk NOT NULL,
        file_size_bytes bigint NOT NULL, mime_type mime NOT NULL, file_hash_sha256 char(64) NOT NULL,
        ml_raw_result jsonb, ml_normalized_result jsonb, processed_at timestamp(0),
        created_at timestamp(0), updated_at timestamp(0)
    );
    CREATE TABLE pdf_jobs (
        id bigserial PRIMARY KEY, uploaded_document_id bigint NOT NULL REFERENCES uploaded_documents (id),
        status job_status NOT NULL DEFAULT 'pending', attempts int NOT NULL DEFAULT 0, error_message text,
        locked_at {locked_at}, created_at timestamp(0), updated_at timestamp(0)
    );
"""
STAMP = "2026-01-02 03:04:05"


class Application:
    """`variables` are what its worker is told. Everything here is done as the owner of the database."""

    def __init__(
        self, databases: Databases, uploads: Path, *, types: str = "enum", locked_at: str = "timestamp"
    ) -> None:
        self._url = databases.new_database()
        self.uploads = uploads
        uploads.mkdir(parents=True, exist_ok=True)
        self.execute(_TYPES[types] + _TABLES.format(locked_at=locked_at))
        self._grant()

    @property
    def place(self) -> dict[str, str | int]:
        """For a worker: as the role of the how-to."""
        facts = conninfo_to_dict(self._url)
        host, port = facts.get("host") or "localhost", facts.get("port") or 5432
        return {"host": host, "port": int(port), "dbname": str(facts["dbname"]), "user": ROLE, "password": PASSWORD}

    @property
    def variables(self) -> dict[str, str]:
        names = {
            "host": "DB_HOST",
            "port": "DB_PORT",
            "dbname": "DB_NAME",
            "user": "DB_USER",
            "password": "DB_PASSWORD",
        }
        return {
            **{names[name]: str(value) for name, value in self.place.items()},
            "STORAGE_BASE_PATH": str(self.uploads),
            "POLL_INTERVAL_SECONDS": "0.2",
            "BLOBFORGE_RETRY_FIRST_SECONDS": "0.01",
            "BLOBFORGE_RETRY_LONGEST_SECONDS": "0.01",
        }

    def upload(self, content: bytes | None, *, disk: str = "local", user_id: int = 7, uuid: UUID | None = None) -> int:
        """A document and its job; the id of the job. Without content, its file is not there yet."""
        name = uuid or uuid4()
        if content is not None:
            self.put_file(content, f"{user_id}/{name}.pdf")
        (document,) = self.row(
            "INSERT INTO uploaded_documents (uuid, user_id, storage_disk, file_size_bytes, mime_type, file_hash_sha256,"
            " created_at, updated_at) VALUES (%s, %s, %s, %s, 'application/pdf', %s, %s, %s) RETURNING id",
            (name, user_id, disk, len(content or b""), "0" * 64, STAMP, STAMP),
        ).values()
        (job,) = self.row(
            "INSERT INTO pdf_jobs (uploaded_document_id, created_at, updated_at) VALUES (%s, %s, %s) RETURNING id",
            (document, STAMP, STAMP),
        ).values()
        return int(job)

    def put_file(self, content: bytes, path: str) -> Path:
        place = self.uploads / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        return place

    def path_of(self, job: int) -> Path:
        document = self.document(job)
        return self.uploads / str(document["user_id"]) / f"{document['uuid']}.pdf"

    def job(self, job: int) -> dict[str, Any]:
        return self.row("SELECT *, status::text AS status FROM pdf_jobs WHERE id = %s", (job,))

    def document(self, job: int) -> dict[str, Any]:
        query = "SELECT d.* FROM uploaded_documents d JOIN pdf_jobs j ON j.uploaded_document_id = d.id WHERE j.id = %s"
        return self.row(query, (job,))

    def columns(self, table: str) -> list[str]:
        with self._connected() as connection:
            query = (
                b"SELECT column_name FROM information_schema.columns WHERE table_name = %s ORDER BY ordinal_position"
            )
            return [row["column_name"] for row in connection.execute(query, (table,))]

    def statuses(self) -> list[str]:
        with self._connected() as connection:
            return [
                row["status"] for row in connection.execute("SELECT status::text AS status FROM pdf_jobs ORDER BY id")
            ]

    def set_back(self, job: int, **columns: object) -> None:
        """What an owner does by hand."""
        parts = [sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder()) for name in columns]
        with self._connected() as connection:
            query = sql.SQL("UPDATE pdf_jobs SET {} WHERE id = %s").format(sql.SQL(", ").join(parts))
            connection.execute(query, (*columns.values(), job))

    def age_lock(self, job: int, *, seconds: int) -> None:
        self.execute(f"UPDATE pdf_jobs SET locked_at = locked_at - interval '{seconds} seconds' WHERE id = {job}")

    def commits_of_workers(self) -> list[object]:
        """When each worker that is connected, and does nothing now, committed its latest transaction."""
        with self._connected() as connection:
            query = (
                b"SELECT query_start FROM pg_stat_activity WHERE datname = current_database()"
                b" AND application_name = 'blobforge lab-worker' AND state = 'idle' AND query = 'COMMIT'"
            )
            return [row["query_start"] for row in connection.execute(query)]

    def everything(self) -> str:
        """All that the two tables hold outside the two columns of results, as text."""
        with self._connected() as connection:
            jobs = connection.execute("SELECT * FROM pdf_jobs").fetchall()
            documents = connection.execute(
                "SELECT id, uuid, user_id, storage_disk, processed_at, created_at, updated_at FROM uploaded_documents"
            ).fetchall()
        return repr(jobs) + repr(documents)

    def execute(self, statement: str) -> None:
        with self._connected() as connection:
            connection.execute(statement.encode())

    def row(self, query: str, values: tuple[object, ...] = ()) -> dict[str, Any]:
        with self._connected() as connection:
            found = connection.execute(query.encode(), values).fetchone()
        assert found is not None
        return dict(found)

    def _connected(self) -> "psycopg.Connection[Mapping[str, Any]]":
        return psycopg.connect(self._url, autocommit=True, row_factory=dict_row)

    def _grant(self) -> None:
        """Word for word what the how-to tells the owner to run."""
        database = str(conninfo_to_dict(self._url)["dbname"])
        for statement in grants(database):
            try:
                self.execute(statement)
            except DuplicateObject:
                assert statement.startswith("CREATE ROLE")  # another database of this server has it already


def grants(database: str) -> list[str]:
    (block,) = [
        block
        for block in re.findall(r"```sql\n(.*?)```", HOWTO.read_text(encoding="utf-8"), re.DOTALL)
        if "CREATE ROLE" in block
    ]
    return [
        part.strip() for part in block.replace("DATABASE bioreport", f"DATABASE {database}").split(";") if part.strip()
    ]


def conninfo(application: Application) -> str:
    """For a connection as the worker's role."""
    return make_conninfo("", **application.place)
