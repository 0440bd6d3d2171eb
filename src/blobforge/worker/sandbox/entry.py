"""Enters the sandbox: in a child, before it has loaded any code that a document could exploit."""

import os

from blobforge.worker.sandbox import kernel, landlock, seccomp
from blobforge.worker.sandbox.places import allowed_paths
from blobforge.worker.sandbox.policy import SandboxPolicy


def enter(policy: SandboxPolicy, *, lifeline: int) -> None:
    """There is no way back. Raises OSError: who cannot enter must not go on. One thread, or the others stay outside.

    `lifeline` is the file by which the kernel ends this process with its parent.
    """
    kernel.forbid_new_privileges()
    kernel.adopt_orphans()
    if policy.landlock:
        landlock.restrict(allowed_paths(policy, os.environ), version=policy.landlock)
    # Before the filter, which lets nobody change what others may do; root alone has any.
    kernel.drop_capabilities()
    if policy.seccomp:
        parent = os.getppid()
        family = refusals(policy.landlock, parent=parent, parents_group=os.getpgid(parent))
        seccomp.install((*family, *seccomp.pinned(lifeline)))


def refusals(version: int, *, parent: int, parents_group: int) -> tuple[seccomp.Refusal, ...]:
    """All that the filter refuses beside a Landlock of this version."""
    refused = seccomp.REFUSED
    if version < landlock.ABI_WITH_TRUNCATE:
        refused = (*refused, *seccomp.TRUNCATION)
    if version < landlock.ABI_WITH_SCOPES:
        refused = (*refused, *seccomp.signals_to(parent, parents_group))
    return refused
