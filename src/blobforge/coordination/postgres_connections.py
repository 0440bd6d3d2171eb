"""The parameters of every connection to a PostgreSQL server, and its errors in one line."""

from typing import Any

CONNECT_SECONDS = 10

CONNECTION: dict[str, Any] = {
    "connect_timeout": CONNECT_SECONDS,
    "application_name": "blobforge",
    # A peer that vanishes (a failover, a cut cable) is noticed within half a minute: by probes while the
    # connection is idle, and by the time that unanswered data may wait while it is not.
    "tcp_user_timeout": 30_000,
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}


def first_line(error: Exception) -> str:
    """PostgreSQL adds the position and hints on further lines."""
    return str(error).strip().partition("\n")[0]
