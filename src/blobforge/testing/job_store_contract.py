"""The contract of every JobStore, races included.

A subclass gives one fixture: `open_store`, a function that opens another handle on the same jobs at each call.
"""

import pytest

from blobforge.ports.job_store import JobStore
from blobforge.testing.job_store.adding import AddingContract
from blobforge.testing.job_store.archiving import ArchivingContract
from blobforge.testing.job_store.awaiting import AwaitingSourceContract
from blobforge.testing.job_store.changing import ChangingContract
from blobforge.testing.job_store.due import DueContract
from blobforge.testing.job_store.filtering import FilteringContract
from blobforge.testing.job_store.forgetting import ForgettingContract
from blobforge.testing.job_store.forging import ForgedCopiesContract
from blobforge.testing.job_store.listing import ListingContract
from blobforge.testing.job_store.needs import NeedsContract
from blobforge.testing.job_store.pausing import PausingContract
from blobforge.testing.job_store.racing import RacingContract
from blobforge.testing.job_store.reading import HistoryContract, ReadingContract
from blobforge.testing.job_store.reconciling import ReconcilingContract
from blobforge.testing.job_store.registry import RegistryContract
from blobforge.testing.job_store.steps import OpenStore
from blobforge.testing.job_store.transitions import TakingContract, TransitionContract

__all__ = ["JobStoreContract", "OpenStore"]


class JobStoreContract(
    AddingContract,
    ChangingContract,
    TakingContract,
    TransitionContract,
    ForgedCopiesContract,
    NeedsContract,
    AwaitingSourceContract,
    DueContract,
    HistoryContract,
    ReadingContract,
    FilteringContract,
    ListingContract,
    RacingContract,
    ArchivingContract,
    ForgettingContract,
    ReconcilingContract,
    RegistryContract,
    PausingContract,
):
    @pytest.fixture
    def store(self, open_store: OpenStore) -> JobStore:
        return open_store()
