"""What a child is told of its sandbox."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxPolicy:
    """As it goes to a child, in JSON. `landlock` is the version of what the kernel gives, 0 for nothing; `scratch`
    is the folder to which it may write: a worker names that of all its children, and each gets one of its own below it;
    `readable` are further files, folders and devices;
    `private` is what is never given to it, wherever it lies."""

    landlock: int
    seccomp: bool
    scratch: str
    readable: tuple[str, ...] = ()
    private: tuple[str, ...] = ()

    @property
    def confines_files(self) -> bool:
        """Then a child sees no source that does not lie in its workspace."""
        return self.landlock > 0
