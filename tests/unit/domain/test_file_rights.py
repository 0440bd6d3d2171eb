"""Who may read what is kept."""

import pytest

from blobforge.domain.file_rights import FileRights


@pytest.mark.parametrize(
    ("rights", "files", "folders"),
    [
        (FileRights.PRIVATE, 0o600, 0o700),
        (FileRights.GROUP, 0o660, 0o2770),
        (FileRights.UMASK, None, None),
    ],
)
def test_files_and_folders_are_opened_to_the_same_people(
    rights: FileRights, files: int | None, folders: int | None
) -> None:
    assert (rights.of_files, rights.of_folders) == (files, folders)
