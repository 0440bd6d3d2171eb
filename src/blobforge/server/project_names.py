"""Where what one project made of a document lies: apart from what others made of the same bytes."""

import hashlib
import hmac

from blobforge.domain.ids import DEFAULT_PROJECT, RecipeId, SourceHash
from blobforge.domain.job import Job
from blobforge.domain.result_record import result_record
from blobforge.ports.blob_store import BlobKey, error_log_key, result_key

DIGITS_OF_A_RECIPE = 16


class ProjectNames:
    """A worker says by which recipe it made a result, and may be of one project alone. So a name that follows from
    content and recipe would let it write what another project has published, or will find: besides the default
    project, whose names are those of a queue without a server, each has names that only the server can make.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def result(self, project: str, source_hash: SourceHash, recipe_id: RecipeId) -> BlobKey:
        if project == DEFAULT_PROJECT:
            return result_key(source_hash, recipe_id)
        said = f"result\n{project}\n{recipe_id}".encode()
        own = hmac.new(self._key, said, hashlib.sha256).hexdigest()[:DIGITS_OF_A_RECIPE]
        return result_key(source_hash, RecipeId(own))

    def result_for(self, job: Job, key: str) -> BlobKey:
        """As a worker names it that holds the job: by its recipe, or as the job tells it."""
        if key == result_record(job).key:
            return BlobKey(key)
        recipe_id = key.removesuffix(".zip").rpartition("-")[2]
        return self.result(job.project, job.source_hash, RecipeId(recipe_id))

    def log(self, project: str, source_hash: SourceHash) -> BlobKey:
        """No two projects have the same: a log names paths and workers."""
        key = error_log_key(source_hash)
        return key if project == DEFAULT_PROJECT else BlobKey(f"{key.rpartition('/')[0]}/{project}.error.json")
