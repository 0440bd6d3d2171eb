"""The accounts of the queue of the settings, with its audit trail."""

from collections.abc import Callable
from dataclasses import dataclass

from blobforge import plugins
from blobforge.accounts.service import AccountService
from blobforge.config.settings import Settings
from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import InvalidSettings
from blobforge.ports.accounts import Accounts
from blobforge.ports.audit import Audit
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator
from blobforge.wiring.queues import OpenedCoordinator, open_coordinator, open_known_coordinator
from blobforge.wiring.servers import is_behind_server


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedAccounts:
    accounts: Accounts
    audit: Audit
    service: AccountService
    queue: Coordinator
    clock: Clock
    close: Callable[[], None]


def open_accounts(settings: Settings) -> OpenedAccounts:
    """Makes a queue where there is none yet: the first token may come before the first job.

    Raises InvalidSettings, also for a queue that has no accounts; StoreUnavailable.
    """
    _require_accounts(settings)
    return accounts_of(open_coordinator(settings))


def open_known_accounts(settings: Settings) -> OpenedAccounts:
    """The same, for who has nothing to put into them: a file that is not there was perhaps mistyped.

    Raises NotFound besides.
    """
    _require_accounts(settings)
    return accounts_of(open_known_coordinator(settings))


def accounts_of(opened: OpenedCoordinator) -> OpenedAccounts:
    """Those of a queue that is open already: one file, one pool of connections. Closing either closes both.

    Raises InvalidSettings, and closes a queue that brought none.
    """
    if opened.accounts is None or opened.audit is None:
        opened.close()
        raise InvalidSettings("this queue brought no accounts; name another one in BLOBFORGE_QUEUE")
    return OpenedAccounts(
        accounts=opened.accounts,
        audit=opened.audit,
        service=AccountService(opened.accounts, clock=opened.clock),
        queue=opened.coordinator,
        clock=opened.clock,
        close=opened.close,
    )


def _require_accounts(settings: Settings) -> None:
    """Before anything is opened: a bucket need not even answer."""
    if is_behind_server(settings):
        raise InvalidSettings(
            f"tokens and accounts of workers are made on the machine of the server {shown_address(settings.queue)}: "
            "run this there, where BLOBFORGE_SERVER_URL is not set"
        )
    why_not = plugins.load_queue(settings.queue).why_no_accounts
    if why_not is not None:
        raise InvalidSettings(
            f"{why_not}: {shown_address(settings.queue)} has neither tokens nor accounts of workers; name another "
            "queue in BLOBFORGE_QUEUE"
        )
