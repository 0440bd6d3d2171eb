"""What the pool of connections logs when one that the server has cut is given back to it."""

import logging

from blobforge.coordination.sql.database_errors import reason

POOL = "sqlalchemy.pool.impl.QueuePool"


def tell_in_one_line() -> None:
    """The pool makes a new connection by itself, and the call that met the end of the old one is made again, or fails
    with an error of ours: a traceback beside that, at level ERROR, would call for a person for nothing."""
    logging.getLogger(POOL).addFilter(_in_one_line)


def _in_one_line(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, Exception):
        record.msg, record.args = f"a connection to the queue database is given up: {reason(error)}", ()
        record.exc_info, record.exc_text = None, None
        record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
    return True
