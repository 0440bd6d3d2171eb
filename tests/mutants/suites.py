"""The tests that should catch a mutant, the nearest first."""

_JOB_STORES = "tests/contract/test_job_stores.py"
_COORDINATORS = "tests/contract/test_coordinators.py"
_WAKEUPS = "tests/contract/test_wakeups.py"

MEMORY = (f"{_JOB_STORES}::TestMemory",)
SQLITE = (
    f"{_JOB_STORES}::TestSqlite",
    f"{_COORDINATORS}::TestServiceOverSqlite",
    "tests/integration/coordination/test_sqlite_store.py",
    "tests/integration/coordination/test_sqlite_together.py",
    "tests/integration/coordination/test_archive.py",
    "tests/integration/coordination/test_forgetting.py",
)
POSTGRES = (
    f"{_JOB_STORES}::TestPostgres",
    "tests/integration/coordination/test_postgres_store.py",
    "tests/integration/coordination/test_archive.py",
    "tests/integration/coordination/test_forgetting.py",
    f"{_COORDINATORS}::TestServiceOverPostgres",
)
FAULTS = ("tests/integration/coordination/test_postgres_faults.py",)
FILE_WAKEUP = (f"{_WAKEUPS}::TestFileWakeup", f"{_WAKEUPS}::TestFileWakeupOfAQueueThatIsNotThereYet")
LISTEN_WAKEUP = (f"{_WAKEUPS}::TestListenWakeup", "tests/integration/coordination/test_postgres_store.py")
CLAIM_CURSOR = (
    "tests/unit/coordination/test_claim_cursor.py",
    "tests/integration/coordination/test_postgres_claim_cursor.py",
)
NOTIFY = ("tests/unit/coordination/test_debounced_notify.py",)

BUCKET = ("tests/contract/test_bucket.py::TestBucketInMemory",)
ANOTHER_WRITER = ("tests/unit/coordination/bucket/test_another_writer.py",)
IN_BETWEEN = ("tests/unit/coordination/bucket/test_in_between.py",)
FOREIGN_WORKERS = ("tests/unit/coordination/bucket/test_foreign_workers.py",)
MARKERS = ("tests/unit/coordination/bucket/test_marker_order.py",)
LAYOUT = ("tests/unit/coordination/bucket/test_layout.py",)
CHANGE_TOKEN = ("tests/unit/coordination/bucket/test_change_token_order.py",)
CLEARING = ("tests/unit/results/test_garbage_collection.py",)
BESIDE_STORING = ("tests/integration/test_gc_beside_storing.py",)
ASLEEP = ("tests/unit/results/test_gc_that_slept.py",)
DELETIONS = ("tests/unit/objectstore/test_deletions.py",)
COPIES = ("tests/unit/blobs/test_directory_transfers.py",)
CUT_WRITES = (
    "tests/unit/objectstore/test_cut_writes.py",
    "tests/unit/coordination/bucket/test_cut_writes.py",
    "tests/unit/manifests/test_bucket.py",
    "tests/integration/test_cut_writes.py",
)
INVENTORY = ("tests/unit/coordination/bucket/test_inventory.py",)
SET_ASIDE = ("tests/unit/blobs/test_set_aside.py",)
PARTS = ("tests/contract/test_multipart.py::TestDirectory",)
PARTS_OVER_HTTP = ("tests/integration/client/test_files_in_parts.py",)
LATE_WORKERS = ("tests/unit/server/test_late_workers.py",)
DISCREET_RESULTS = ("tests/unit/server/test_discreet_results.py",)
RESULTS_OF_PROJECTS = ("tests/unit/server/test_results_of_projects.py",)
SEEN_WORKERS = ("tests/unit/server/test_seen_workers.py",)
WORKERS_OF_ALL_PROJECTS = ("tests/unit/server/test_workers_of_all_projects.py",)
KEPT_RESULTS = ("tests/integration/client/test_kept_results.py",)
STORE_ROUNDS = ("tests/unit/server/test_store_rounds.py",)
GARBAGE = ("tests/unit/results/test_garbage.py",)
HYDRATION = ("tests/unit/results/test_hydration.py",)
OUTAGES = ("tests/unit/coordination/bucket/test_outages.py",)
PAIRING = ("tests/unit/wiring/test_pairing_order.py",)
EARLIER_QUEUES = ("tests/unit/wiring/test_earlier_queues.py",)
POWER_CUT = ("tests/unit/conversion/test_power_cut.py",)
PUBLISHING = ("tests/unit/coordination/bucket/test_publishing.py",)
BESIDE_REPROCESS = ("tests/integration/test_gc_beside_reprocess.py",)
BLOBS_POWER_CUT = ("tests/unit/blobs/test_power_cut.py",)
PUBLISHED = ("tests/integration/coordination/test_published_results.py",)

RULES = (f"{_COORDINATORS}::TestServiceOverMemory", "tests/unit/domain")
SERVICE = (f"{_COORDINATORS}::TestServiceOverMemory", "tests/unit/coordination")
FEED = ("tests/unit/worker/test_list_feed.py", "tests/unit/worker/test_queue_feed.py")
PREDECESSORS = ("tests/unit/worker/test_predecessors.py",)
LOOP = ("tests/unit/worker/test_loop_in_virtual_time.py", "tests/integration/worker/test_loop.py")
RUN_SCHEDULE = ("tests/integration/worker/test_run_windows.py",)
RUN_WINDOW = ("tests/unit/domain/test_run_window.py",)
