"""memory://: a queue whose jobs end with the process."""

from blobforge.coordination.memory.backend import open_queue
from blobforge.ports.queue_backend import QueueBackend

QUEUE = QueueBackend(open=open_queue, why_no_accounts=None)
