"""The contract of every Coordinator.

A subclass gives one fixture: `open_coordinator`, a function that takes a clock and opens another coordinator on the
same jobs, whose leases last `blobforge.testing.builders.LEASE` and whose back-offs follow
`blobforge.testing.coordinator.steps.POLICY`.
"""

import pytest

from blobforge.ports.coordinator import Coordinator
from blobforge.testing.clock import FakeClock
from blobforge.testing.coordinator.awaiting import AwaitingSourceCoordinatorContract
from blobforge.testing.coordinator.expiring import ExpiringContract
from blobforge.testing.coordinator.many import SteeringManyContract
from blobforge.testing.coordinator.steering import (
    CoordinatorReadingContract,
    PausingCoordinatorContract,
    SteeringContract,
    SubmittingContract,
)
from blobforge.testing.coordinator.steps import OpenCoordinator
from blobforge.testing.coordinator.sweeping import SweepingContract
from blobforge.testing.coordinator.working import ClaimingContract, EndingContract, RenewingContract

__all__ = ["CoordinatorContract", "OpenCoordinator"]


class CoordinatorContract(
    SubmittingContract,
    ClaimingContract,
    RenewingContract,
    EndingContract,
    ExpiringContract,
    AwaitingSourceCoordinatorContract,
    SweepingContract,
    SteeringContract,
    SteeringManyContract,
    PausingCoordinatorContract,
    CoordinatorReadingContract,
):
    @pytest.fixture
    def clock(self) -> FakeClock:
        return FakeClock()

    @pytest.fixture
    def coordinator(self, open_coordinator: OpenCoordinator, clock: FakeClock) -> Coordinator:
        return open_coordinator(clock)
