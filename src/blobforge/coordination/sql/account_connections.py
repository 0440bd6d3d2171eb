"""The connections of accounts and audit trail: those of the queue, in short steps of one transaction each."""

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from blobforge.coordination.sql.database_errors import (
    SETTING,
    TransientFailure,
    is_lack_of_rights,
    reason,
    with_retries,
)
from blobforge.coordination.sql.schema import in_transactions
from blobforge.domain.errors import BlobForgeError, InvalidSettings, StoreUnavailable

Done = TypeVar("Done")
Step = Callable[[Connection], Done]


class AccountConnections:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._in_transactions = in_transactions(engine)

    def read(self, step: Step[Done]) -> Done:
        """Every request asks for an account: one over a connection that a restart has cut is asked again."""

        def read_once() -> Done:
            try:
                with self._engine.connect() as connection:
                    return step(connection)
            except DBAPIError as error:
                if error.connection_invalidated:
                    raise TransientFailure(reason(error)) from error
                raise self._translated(error) from error
            except SQLAlchemyError as error:
                raise self._translated(error) from error

        return with_retries(read_once)

    def write(self, step: Step[Done], *, refused: BlobForgeError | None = None) -> Done:
        """A step writes before it reads: on SQLite one that reads first may fail to get the write lock.

        `refused` is what it means when a constraint of the tables does not allow it.
        """

        def write_once() -> Done:
            try:
                with self._in_transactions.begin() as connection:
                    return _before_the_commit(step, connection)
            except IntegrityError as error:
                raise refused or self._translated(error) from error
            except SQLAlchemyError as error:
                raise self._translated(error) from error

        return with_retries(write_once)

    def _translated(self, error: SQLAlchemyError) -> BlobForgeError:
        if is_lack_of_rights(error):
            return InvalidSettings(
                f"the role {self._engine.url.username!r} may not use the accounts of this queue ({reason(error)}): "
                f"name the role that owns its tables in {SETTING}"
            )
        return StoreUnavailable(f"the queue database did not answer: {reason(error, self._engine.url.database)}")


def _before_the_commit(step: Step[Done], connection: Connection) -> Done:
    """Nothing was written where the connection is cut here, so that a retry is safe; after a commit it is not."""
    try:
        return step(connection)
    except DBAPIError as error:
        if error.connection_invalidated:
            raise TransientFailure(reason(error)) from error
        raise
