"""The requirements of documents 000 and 002 (the queue in a bucket), 001 (the server) and 003 (lab reports of a foreign
database) in our words, one a line, and what took the place of some."""

R0 = """
1. A job is known by the SHA-256 of its content, in lower-case hex
2. The source lies under `store/raw/<HASH>.pdf`, never changes, and carries metadata
3. The result lies under `store/out/<HASH>.zip`
4. Every key lies below the prefix, `pdf/` by default
5. A waiting job has a marker in its tier with `retries` and `queued_at`
6. There are exactly five tiers
7. A running job has a lock with worker, times, priority and retries
8. A failed job has a marker with its error, worker and retries
9. A dead job has a marker with its error, `total_retries` and the reason
10. The manifest is `registry/manifest.json`
11. Conditional writes are all that is asked of a store
12. Workers need the bucket and its keys, and no server
13. One client for the store, used by everything
14. Ingested: it waits
15. Claimed: it is in progress
16. Converted: it is done
17. An error: it failed
18. Failed, with attempts left: it waits again
19. Failed, without any: it is dead
20. Dead: only a person brings it back
21. The manifest has a version, a time and its entries
22. An entry has paths, size, tags, time and source
23. A second path is added to the entry of its content
24. The manifest is written by If-Match, and read again after a lost race
25. Entries are written in batches => ADR 6: shards that are folded in as they grow, instead of every 50 entries
26. Only who ingests writes the manifest
27. It can be searched by file name and by tag
28. Folders are walked, repositories are cloned without the content of LFS files
29. The hash of an LFS file comes from its pointer
30. Any other file is hashed
31. What is done is skipped
32. What is in progress is skipped
33. What is dead is skipped
34. What failed is skipped
35. What waits in any tier is skipped
36. A source is uploaded only if it is missing
37. The content of an LFS file is fetched only then
38. A source carries its name, tags and size
39. After the upload comes the marker in the chosen tier
40. A worker's name stays the same from start to start, and can be set
41. A worker that starts frees what its dead predecessor held
42. Tiers are strict
43. Candidates are spread over workers => P0: one listing in the order of tiers, and a walk from a random place
44. Who creates the lock first has the job
45. The marker stays while the job runs
46. A sign of life every minute, with the stage of the work
47. The source is fetched into a folder of its own
48. Name and tags of the source are known to the worker
49. The document is converted by marker or pymupdf4llm => by our own engine, or by one of these where it is asked for
50. The result tells what made it, in `info.json`
51. The result is one zip
52. The end of a job has its order => P0: state, result, then one deletion of all markers
53. A failure is recorded, and the lock given up
54. A lost worker is judged by its last sign of life
55. What it held waits again, or is dead when its attempts are spent
56. So does what failed, when its time has come
57. A dry run of the janitor changes nothing
58. Dead jobs stay dead, with their history
59. `BLOBFORGE_S3_BUCKET`
60. `BLOBFORGE_S3_PREFIX`
61. `BLOBFORGE_WORKER_ID`
62. `BLOBFORGE_MAX_RETRIES`: attempts in all
63. `BLOBFORGE_HEARTBEAT_INTERVAL`
64. `BLOBFORGE_STALE_TIMEOUT_MINUTES`
65. `BLOBFORGE_CONVERSION_TIMEOUT`
66. `BLOBFORGE_LOG_LEVEL`
67. `blobforge ingest PATH --priority TIER`
68. `blobforge status HASH`
69. `blobforge list --verbose` gives statistics => it tells all facts of each job; `status` has the statistics
70. `blobforge reprioritize HASH TIER`
71. `blobforge retry HASH --priority TIER --reset-retries`
72. `blobforge janitor --dry-run`
73. `blobforge dashboard --verbose`
74. `blobforge search QUERY`
75. `blobforge lookup --hash`
76. `blobforge lookup --path`
77. `blobforge manifest --verbose`
78. One room for each concern => ARCHITECTURE.md decides the files
79. boto3
80. The Python versions that are supported => 3.11 and newer
81. Made for some 50,000 documents and 20 workers => 400 jobs in the test, 50,000 in `make bench-bucket`
82. A fleet asks seldom when there is nothing to do
83. One ingestor at a time is enough => several may run at once
"""

# Lines 41 to 58 (pages and events), 64 to 68 (replication), 79 to 84 and 86 to 89 (signing in) and 101 are of parts
# that are not there yet.
R1 = """
1. `sources/{hash}.pdf`, `outputs/{hash}.zip` => the result of each recipe is kept, too; replication comes later
2. Workers have id, type, status, last_heartbeat, current_job_id, metadata and times
3. And a secret_hash and whether they are enabled => in a table of their own: registrations come and go (ADR 11)
4. Jobs have an id that counts up, type, status and priority, 3 by default
5. And source_hash, source_path, source_size
6. And worker_id, started_at, completed_at
7. And attempts, max_attempts (3) and last_error
8. And tags, metadata and result as JSON, and times
9. A job is unique by type and source hash => and project
10. An index by status and priority => ADR 2: one of ready jobs in the order of claims, and one of lanes
11. An index by source hash => the constraint that makes a job unique begins with the hash
12. An index by worker => ADR 2: running jobs are few, and are found by their due time
13. Files have job_id, type, s3_key, size, content_type, checksum, metadata and time => no foreign key (ADR 2)
14. Files are found by job and by key
15. Users, by the id of the provider, with address, name, picture, groups, is_admin and provider
16. Sessions of a user, with their end
17. Tokens of a user, by their hash, with description and last use
18. `POST /api/workers` answers 201 with the id and 60 seconds between heartbeats
19. Without an id, the server makes one
20. A heartbeat carries the current job and its progress, and answers "ok"
21. A claim answers with the job and two addresses
22. 204 where there is none within the time
23. Only jobs of the type that was asked for
24. A claim that waits is answered when a job comes
25. The address of the source reads it
26. The address of the result takes it => to a place of its own, from where the server publishes it (ADR 12)
27. `complete` takes the result and answers "completed"
28. `fail` answers with the attempts and whether there will be another
29. A worker signs off => `POST …/deregister`, and DELETE
30. A draining worker gets no jobs
31. `GET /api/jobs` lists by status and type, with a limit
32. `total` counts all pages => exactly up to 10,000, or in as many of the newest as a search has read, and says so
33. `POST /api/jobs` answers 201 with the job and where to upload its source
34. A known one answers 409 "job already exists" with its id
35. `retry` makes it pending, with its attempts reset or not, and another priority
36. `DELETE` cancels it
37. `PATCH …/priority`
38. Priorities are 1 to 5 and nothing else
39. `GET /api/files/{job_id}/source` gives an address for an hour
40. So does `…/output`
59. A worker signs in, asks, fetches, works with signs of life, brings the result or says why not, and asks again
60. A heartbeat every 60 seconds while a document is processed
61. A worker is offline after three of them were missed
62. Its jobs go back to the queue by themselves
63. On SIGTERM a worker claims no more, finishes or hands back, signs off and ends
69. `BLOBFORGE_PORT`, 8080
70. `BLOBFORGE_DB_PATH` => the queue of the home, where it is not set
71. `BLOBFORGE_S3_BUCKET` => beside `BLOBFORGE_DB_PATH` it is the store alone
72. `BLOBFORGE_S3_ENDPOINT`
73. `BLOBFORGE_S3_ACCESS_KEY`
74. `BLOBFORGE_S3_SECRET_KEY`
75. `BLOBFORGE_S3_REGION`, auto
76. `BLOBFORGE_WORKER_TIMEOUT`, 180
77. `BLOBFORGE_MAX_ATTEMPTS`, 3
78. `BLOBFORGE_LOG_LEVEL`, info
85. A worker needs `BLOBFORGE_SERVER_URL`, `_WORKER_ID` and `_WORKER_SECRET`
90. `Authorization: Bearer bf_` and 32 digits, kept as SHA-256 alone
91. Its last use is written down => once a minute at most
92. Workers send `X-Worker-ID` and `X-Worker-Secret`, `bfw_` and digits
93. An admin makes a worker, whose secret is shown once
94. Another secret ends the one before
95. A worker is enabled
96. A worker is disabled, which counts at once
97. What is for admins needs one
98. Who did what is written down
99. Jobs are claimed by priority, then by age
100. Priorities have names, from critical to background
102. More types of workers are possible
103. Perhaps: webhooks, projects, Prometheus, several servers => projects and Prometheus; the rest comes later
"""

R2 = """
1. The prefix holds for everything
2. The project says how it is worked on => CONTRIBUTING.md, CHANGELOG.md and docs/adr
3. Nobody checks first and takes afterwards
4. Workers are spread => as R0-43
5. The sign of life has a thread of its own
6. A lost worker is one not heard of for 15 minutes
7. Attempts are limited, and then the job is dead
8. `retry` brings back failed and dead jobs
9. A worker's name persists
10. Ingest ends with a summary: found, uploaded, queued, skipped
11. Unit tests of store, locks, signs of life and retries => the SDK is part of the install, so nothing is skipped
12. Logs have levels and times, and a worker prints nothing else => where programs read it; on a terminal, words
13. The time for a conversion is a setting
14. A worker that ends waits for its threads
15. All times have their zone
16. A sign of life tells CPU, memory and disk
17. And how long the job runs, its size and its name
18. The dashboard shows all of this
19. A worker counts what it did, and the registry keeps it
20. `workers` shows each of them and all together
21. An error is kept with its traceback and where it happened
22. `blobforge logs HASH`
23. `blobforge watch`
24. `blobforge download HASH`
25. `blobforge preview HASH`
26. `blobforge retry-all`
27. `blobforge clear-dead`
28. `blobforge search-queue QUERY`
29. `blobforge cancel HASH`
30. The extras `metrics` and `all`
31. Bars of tqdm are read as progress
32. Progress is told at most every two seconds
33. The dashboard has an ETA and the stage in words
34. Hashes are kept in extended attributes
35. They count only for the very same file => with size and nanoseconds in a third attribute
36. What a crash left locked counts as a failed attempt
37. Its new marker says how often, since when, and from whom
38. Over the budget, it is dead and waits nowhere
39. Locks of other workers are left alone
40. A signal hands the running job back, and its attempt with it
41. An idle worker just ends
42. A worker ends in good order
43. A second signal does not break that off
44. After an unexpected error it still hands back, and exits with 1
45. The thread of the sign of life ends at once
46. Numbers that are none do no harm
47. A conversion that takes too long is ended => the parent kills the child's whole group
48. A real SIGTERM to a real process
49. The README and its pages have every command and setting, the stores, and the states
"""

R3 = """
1. A worker polls `pdf_jobs` and knows nothing but PostgreSQL and local files
2. Python, psycopg, spaCy, pdfplumber, pydantic, structlog, pytest, ruff, mypy => a PostgreSQL wheel for testcontainers
3. One module for each concern => ARCHITECTURE.md decides the files
4. `uploaded_documents` has the documented columns
5. `id` and `storage_disk` are read, three columns of results written => `user_id` and `uuid` are read for the path
6. `pdf_jobs` has the documented columns
7. Of these `status`, `attempts`, `error_message` and `locked_at` are written
8. The schema is never changed
9. The claim is SKIP LOCKED, in the order of ids, one row
10. In the same transaction the row is `processing`, locked, and counts an attempt; the work is done outside
11. A crash before the commit leaves the row pending
12. A poll every N seconds, one job at a time
13. Document, path, text, pipeline, normalised form
14. Results and `done` in one transaction
15. The text is read with pdfplumber, page by page => by words with their places, which the rows and columns come from
16. Without text a job is `failed`
17. There is no OCR
18. The raw result is JSON
19. The normalised result has the documented keys
20. So has each observation, and its value is a number
21. Fewer than three attempts: again; three: `failed` => what no further attempt can change is `failed` at once
22. `error_message` is a truncated stack => a code, words, and for an unforeseen error its type and frames
23. Logs are JSON with job, document, duration, status and type of error
24. The settings are the documented variables
25. The composition uses `.env` and opens no ports
26. Unit tests of reading, pipeline, normalising, retrying and locking
27. A run on a real PostgreSQL with a document ends in status, JSON and `processed_at`
28. Tests of broken and empty files, a lost database, an exception, and too many attempts
29. AC-1: one job at a time, by SKIP LOCKED
30. AC-2: a crash in the middle leaves a job that is tried again
31. AC-3: the JSON has the right structure
32. AC-4: where there is a raw result there is a normalised one
33. AC-5: `done`, and `processed_at` is set
34. AC-6: `failed` after three failures
35. AC-7: it runs in a container
36. AC-8: the tests cover 95 % or more => `make test-all` asks for 95 % of everything, `make test` for all of the domain
37. AC-9: ruff, mypy --strict and pytest pass
38. No path leads out of the folder of uploads
39. A file must be there before it is processed
40. The text of a document is never logged
41. Nor is a result
42. The queue, the pipeline and the storage are parts that can be replaced, the model by a setting
43. Less than 512 MB
44. Less than 5 s for a report with text
45. SIGTERM ends it in good order
46. A job that is done twice has the same result
47. Several workers can run
"""


def lines() -> dict[str, tuple[str, str]]:
    """By number, such as R0-17: what it asks, and what took its place, if something did."""
    found: dict[str, tuple[str, str]] = {}
    for document, text in (("R0", R0), ("R1", R1), ("R2", R2), ("R3", R3)):
        for line in text.strip().splitlines():
            number, _, words = line.partition(". ")
            asks, _, instead = words.partition(" => ")
            found[f"{document}-{number}"] = (asks, instead)
    return found
