"""What a page takes fonts, forms, images and layers from."""

import pikepdf

_DEEPEST_BRANCH = 64


def resources_of(page: pikepdf.Object) -> pikepdf.Object | None:
    """Its own resources, or those of the branch of the page tree that it hangs on."""
    branch: pikepdf.Object | None = page
    for _ in range(_DEEPEST_BRANCH):
        if branch is None or (resources := branch.get("/Resources")) is not None:
            return None if branch is None else resources
        branch = branch.get("/Parent")
    return None
