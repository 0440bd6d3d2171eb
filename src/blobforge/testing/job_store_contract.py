"""What every JobStore promises, races included.

A subclass gives one fixture: `open_store`, a function that opens another handle on the same jobs at each call.
"""

import pytest

from blobforge.ports.job_store import JobStore
from blobforge.testing.job_store.adding import AddingContract
from blobforge.testing.job_store.archiving import ArchivingContract
from blobforge.testing.job_store.changing import ChangingContract
from blobforge.testing.job_store.due import DueContract
from blobforge.testing.job_store.filtering import FilteringContract
from blobforge.testing.job_store.forgetting import ForgettingContract
from blobforge.testing.job_store.looking import HistoryContract, LookingContract
from blobforge.testing.job_store.moving import MovingContract, TakingContract
from blobforge.testing.job_store.needs import NeedsContract
from blobforge.testing.job_store.racing import RacingContract
from blobforge.testing.job_store.reconciling import MendingContract
from blobforge.testing.job_store.registry import RegistryContract
from blobforge.testing.job_store.steps import OpenStore

__all__ = ["JobStoreContract", "OpenStore"]


class JobStoreContract(
    AddingContract,
    ChangingContract,
    TakingContract,
    MovingContract,
    NeedsContract,
    DueContract,
    HistoryContract,
    LookingContract,
    FilteringContract,
    RacingContract,
    ArchivingContract,
    ForgettingContract,
    MendingContract,
    RegistryContract,
):
    @pytest.fixture
    def store(self, open_store: OpenStore) -> JobStore:
        return open_store()
