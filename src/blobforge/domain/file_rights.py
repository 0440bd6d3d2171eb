"""Who may read what is kept: documents, their results and the queue are not for everyone on a machine."""

from enum import StrEnum


class FileRights(StrEnum):
    PRIVATE = "private"
    """The user alone."""
    GROUP = "group"
    """The user and the group of the folder, for a place that several people share."""
    UMASK = "umask"
    """What the umask of the process allows."""

    @property
    def of_files(self) -> int | None:
        return {FileRights.PRIVATE: 0o600, FileRights.GROUP: 0o660}.get(self)

    @property
    def of_folders(self) -> int | None:
        """With the setgid bit, so that what is made in a folder belongs to its group."""
        return {FileRights.PRIVATE: 0o700, FileRights.GROUP: 0o2770}.get(self)
