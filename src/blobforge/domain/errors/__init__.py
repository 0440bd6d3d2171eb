"""Every deliberate error, each with a stable code and whether trying again can help; one module a branch of this tree.
Exit codes are a table at the edge (`cli/exit_codes.py`), checked for totality by a test.

    BlobForgeError
    ├── InvalidValue                 a value from outside that makes no sense
    │   ├── InvalidSettings
    │   │   └── StoreMismatch
    │   └── InvalidOptions, IdempotencyKeyReused
    ├── AccessError                  who asks, and what they may
    │   └── NotSignedIn, Forbidden, TooManyRequests, BodyTooLarge
    ├── QueueError
    │   ├── NotFound, NotReady, AlreadyExists, ManifestDamaged, PlaceNotUnderstood, PlaceInUse
    │   ├── RequestUnderWay
    │   ├── InvalidMove              the job's state does not allow it
    │   │   └── NotClaimable, ChangedMeanwhile
    │   ├── LeaseLost
    │   │   └── JobCancelled
    │   └── StoreUnavailable
    │       └── WriteRefused
    ├── SourceError                  the document itself, or the way to it
    │   ├── SourceMissing, SourceUnreadable, SourceForbidden, SourceChanged, SourceDamaged, SourceTooLarge
    │   └── NotAPdf, EmptySource, DamagedSource, EncryptedSource, NoPages, NoText, TooManyPages, TooManyPictures
    ├── ProcessingError              what the work on it ran into
    │   ├── EngineUnavailable, EngineFailed, OcrUnavailable, OcrFailed, NoPageConverted
    │   ├── UnknownProcessor, DocumentCpuLimit
    │   └── ChildError
    │       ├── ChildKilled, ChildExited, ChildTimedOut, ChildStalled
    │       └── MemoryLimit, CpuLimit, OutputLimit, ProcessLimit, ChildMisbehaved, WorkGivenUp
    ├── OutputError                  the place where results go
    │   └── OutputUnwritable, DiskFull, DiskTooSmall, OutputEdited, OutputCollision, ResultDamaged
    └── Interrupted
"""

from blobforge.domain.errors.access import AccessError, BodyTooLarge, Forbidden, NotSignedIn, TooManyRequests
from blobforge.domain.errors.output import (
    DiskFull,
    DiskTooSmall,
    OutputCollision,
    OutputEdited,
    OutputError,
    OutputUnwritable,
    ResultDamaged,
)
from blobforge.domain.errors.processing import (
    ChildError,
    ChildExited,
    ChildKilled,
    ChildMisbehaved,
    ChildStalled,
    ChildTimedOut,
    CpuLimit,
    DocumentCpuLimit,
    EngineFailed,
    EngineUnavailable,
    MemoryLimit,
    NoPageConverted,
    OcrFailed,
    OcrUnavailable,
    OutputLimit,
    ProcessingError,
    ProcessLimit,
    UnknownProcessor,
    WorkGivenUp,
)
from blobforge.domain.errors.queue import (
    AlreadyExists,
    ChangedMeanwhile,
    InvalidMove,
    JobCancelled,
    LeaseLost,
    ManifestDamaged,
    NotClaimable,
    NotFound,
    NotReady,
    PlaceInUse,
    PlaceNotUnderstood,
    QueueError,
    RequestUnderWay,
    StoreUnavailable,
    WriteRefused,
)
from blobforge.domain.errors.root import BlobForgeError, Interrupted
from blobforge.domain.errors.sources import (
    DamagedSource,
    EmptySource,
    EncryptedSource,
    NoPages,
    NotAPdf,
    NoText,
    SourceChanged,
    SourceDamaged,
    SourceError,
    SourceForbidden,
    SourceMissing,
    SourceTooLarge,
    SourceUnreadable,
    TooManyPages,
    TooManyPictures,
)
from blobforge.domain.errors.values import (
    IdempotencyKeyReused,
    InvalidOptions,
    InvalidSettings,
    InvalidValue,
    StoreMismatch,
)

__all__ = [
    "AccessError",
    "AlreadyExists",
    "BlobForgeError",
    "BodyTooLarge",
    "ChangedMeanwhile",
    "ChildError",
    "ChildExited",
    "ChildKilled",
    "ChildMisbehaved",
    "ChildStalled",
    "ChildTimedOut",
    "CpuLimit",
    "DamagedSource",
    "DiskFull",
    "DiskTooSmall",
    "DocumentCpuLimit",
    "EmptySource",
    "EncryptedSource",
    "EngineFailed",
    "EngineUnavailable",
    "Forbidden",
    "IdempotencyKeyReused",
    "Interrupted",
    "InvalidMove",
    "InvalidOptions",
    "InvalidSettings",
    "InvalidValue",
    "JobCancelled",
    "LeaseLost",
    "ManifestDamaged",
    "MemoryLimit",
    "NoPageConverted",
    "NoPages",
    "NoText",
    "NotAPdf",
    "NotClaimable",
    "NotFound",
    "NotReady",
    "NotSignedIn",
    "OcrFailed",
    "OcrUnavailable",
    "OutputCollision",
    "OutputEdited",
    "OutputError",
    "OutputLimit",
    "OutputUnwritable",
    "PlaceInUse",
    "PlaceNotUnderstood",
    "ProcessLimit",
    "ProcessingError",
    "QueueError",
    "RequestUnderWay",
    "ResultDamaged",
    "SourceChanged",
    "SourceDamaged",
    "SourceError",
    "SourceForbidden",
    "SourceMissing",
    "SourceTooLarge",
    "SourceUnreadable",
    "StoreMismatch",
    "StoreUnavailable",
    "TooManyPages",
    "TooManyPictures",
    "TooManyRequests",
    "UnknownProcessor",
    "WorkGivenUp",
    "WriteRefused",
]
