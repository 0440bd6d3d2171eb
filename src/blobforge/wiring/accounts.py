"""The accounts of the queue of the settings, with its audit trail."""

from collections.abc import Callable
from dataclasses import dataclass

from blobforge import plugins
from blobforge.accounts.service import AccountService
from blobforge.clock import SystemClock
from blobforge.config.settings import Settings
from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import InvalidSettings
from blobforge.ports.accounts import Accounts
from blobforge.ports.audit import Audit
from blobforge.ports.clock import Clock
from blobforge.ports.queue_backend import OpenedQueue
from blobforge.wiring.queues import open_queue_of, require_known_queue


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedAccounts:
    accounts: Accounts
    audit: Audit
    service: AccountService
    clock: Clock
    close: Callable[[], None]


def open_accounts(settings: Settings) -> OpenedAccounts:
    """Makes a queue where there is none yet: the first token may come before the first job.

    Raises InvalidSettings, also for a queue that has no accounts; StoreUnavailable.
    """
    if not plugins.load_queue(settings.queue).has_accounts:
        raise _has_none(settings.queue)
    opened, close = open_queue_of(settings)
    if not isinstance(opened, OpenedQueue) or opened.accounts is None or opened.audit is None:
        close()
        raise _has_none(settings.queue)
    clock = opened.clock or SystemClock()
    return OpenedAccounts(
        accounts=opened.accounts,
        audit=opened.audit,
        service=AccountService(opened.accounts, clock=clock),
        clock=clock,
        close=close,
    )


def open_known_accounts(settings: Settings) -> OpenedAccounts:
    """The same, for who has nothing to put into them: a file that is not there was perhaps mistyped.

    Raises NotFound besides.
    """
    if plugins.load_queue(settings.queue).has_accounts:
        require_known_queue(settings)
    return open_accounts(settings)


def _has_none(url: str) -> InvalidSettings:
    kind = "a queue in a bucket" if plugins.scheme_of(url) == "s3" else "this queue"
    return InvalidSettings(
        f"{kind} has no accounts, which need SQLite or PostgreSQL: {shown_address(url)} has neither tokens nor "
        "accounts of workers; name a queue at sqlite:// or postgresql:// in BLOBFORGE_QUEUE"
    )
