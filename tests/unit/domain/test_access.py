"""The table of roles, and projects."""

import pytest

from blobforge.domain.access import ROLES, Action, may, sees, worker_may
from blobforge.domain.account import Role

EXPECTED = {
    Action.READ: "viewer operator admin",
    Action.READ_DISCREET: "operator admin",
    Action.SUBMIT: "operator admin",
    Action.STEER: "operator admin",
    Action.PAUSE: "operator admin",
    Action.MANAGE_WORKERS: "admin",
    Action.MANAGE_TOKENS: "admin",
    Action.READ_AUDIT: "admin",
    Action.WORK: "",
}


def test_the_table_has_every_action() -> None:
    assert set(ROLES) == set(Action) == set(EXPECTED)


@pytest.mark.parametrize("action", Action)
@pytest.mark.parametrize("role", Role)
def test_each_role_may_do_what_the_table_says(role: Role, action: Action) -> None:
    """R1-97."""
    assert may(role, action) is (role.value in EXPECTED[action].split())


@pytest.mark.parametrize("action", Action)
def test_a_role_may_do_all_that_the_one_below_it_may(action: Action) -> None:
    assert may(Role.VIEWER, action) <= may(Role.OPERATOR, action) <= may(Role.ADMIN, action)


@pytest.mark.parametrize("action", Action)
def test_a_worker_works_and_does_nothing_else(action: Action) -> None:
    assert worker_may(action) is (action is Action.WORK)


@pytest.mark.parametrize(
    ("asker", "project", "expected"),
    [(None, "a", True), (None, None, True), ("a", "a", True), ("a", "b", False), ("a", None, False), ("a", "A", False)],
)
def test_who_belongs_to_a_project_sees_that_one_alone(asker: str | None, project: str | None, expected: bool) -> None:
    assert sees(asker, project) is expected
