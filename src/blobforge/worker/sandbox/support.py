"""What this machine's kernel has for a sandbox."""

from dataclasses import dataclass

from blobforge.domain.errors import InvalidSettings
from blobforge.worker.sandbox import kernel, landlock, seccomp


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxSupport:
    """`landlock` is the version that the kernel has, 0 for none."""

    landlock: int
    seccomp: bool

    @property
    def is_whole(self) -> bool:
        return self.landlock > 0 and self.seccomp

    @property
    def missing(self) -> str:
        """What the kernel does not give, in words; empty where nothing is missing."""
        if not kernel.is_known():
            return "there is a sandbox on Linux alone, on x86_64 and aarch64"
        lacking = [name for name, has in (("Landlock", self.landlock > 0), ("seccomp", self.seccomp)) if not has]
        return f"this kernel, or the container around it, has no {' and no '.join(lacking)}" if lacking else ""


def sandbox_support() -> SandboxSupport:
    return SandboxSupport(landlock=landlock.abi(), seccomp=seccomp.is_available())


def require_whole(support: SandboxSupport) -> None:
    """Raises InvalidSettings."""
    if not support.is_whole:
        raise InvalidSettings(
            f"BLOBFORGE_SANDBOX is 'required', and {support.missing}; 'auto' works with what there is (docs/sandbox.md)"
        )
