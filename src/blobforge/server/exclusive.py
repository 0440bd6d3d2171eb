"""Workers of which one process works at a time: the last that registered."""

from dataclasses import replace

from blobforge.domain.account import WorkerAccount, is_process_of, taken_over
from blobforge.domain.ids import WorkerId
from blobforge.domain.worker import WorkerStatus
from blobforge.ports.accounts import Accounts
from blobforge.server.auth.asking import Asker, replaced
from blobforge.server.parts import ServerParts


def require_place(process: WorkerId, asker: Asker, parts: ServerParts) -> None:
    """Each heartbeat registers again, also that of a process which was replaced: that one is known in the queue, where
    one that begins is new. Raises LeaseLost."""
    account = asker.worker
    if account is None or not account.is_exclusive or account.process == process:
        return
    if account.process is not None and any(worker.id == process for worker in parts.coordinator.workers()):
        raise replaced(process, account)
    take_place(process, asker, parts)


def take_place(process: WorkerId, asker: Asker, parts: ServerParts) -> None:
    """From now on it is the only one of an exclusive worker; what the others of the name had is free at once."""
    if asker.worker is not None and asker.worker.is_exclusive and parts.accounts is not None:
        _take(process, asker.worker, parts.accounts, parts)


def _take(process: WorkerId, account: WorkerAccount, accounts: Accounts, parts: ServerParts) -> None:
    now = parts.clock.now()
    accounts.update_worker(account.name, lambda before: taken_over(before, process, now=now))
    queue = parts.coordinator
    others = [worker for worker in queue.workers() if worker.id != process and is_process_of(worker.id, account.name)]
    for worker in others:
        queue.register_worker(replace(worker, status=WorkerStatus.OFFLINE, current_job_id=None))
    gone = {worker.id for worker in others}
    if account.process not in (None, process):
        gone.add(WorkerId(account.process or ""))
    for worker_id in gone:
        queue.expire_worker(worker_id)
    parts.hub.notify_from_thread()
