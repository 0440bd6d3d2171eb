"""All statements to the foreign database: the documented claim, and writes to the documented columns alone.

Literals have no type, so that a status may be an enum or text. A row has no fencing token: `attempts` together with the
latest `locked_at` is the fence.
"""

MISSING_RIGHTS = """
SELECT needed.right_to || ' of ' || needed.tab || '.' || needed.col
FROM (VALUES
    ('SELECT', 'pdf_jobs', 'id'), ('SELECT', 'pdf_jobs', 'uploaded_document_id'), ('SELECT', 'pdf_jobs', 'status'),
    ('SELECT', 'pdf_jobs', 'attempts'), ('SELECT', 'pdf_jobs', 'locked_at'),
    ('UPDATE', 'pdf_jobs', 'status'), ('UPDATE', 'pdf_jobs', 'attempts'),
    ('UPDATE', 'pdf_jobs', 'error_message'), ('UPDATE', 'pdf_jobs', 'locked_at'),
    ('SELECT', 'uploaded_documents', 'id'), ('SELECT', 'uploaded_documents', 'storage_disk'),
    ('UPDATE', 'uploaded_documents', 'ml_raw_result'), ('UPDATE', 'uploaded_documents', 'ml_normalized_result'),
    ('UPDATE', 'uploaded_documents', 'processed_at')
) AS needed (right_to, tab, col)
WHERE NOT has_column_privilege(needed.tab, needed.col, needed.right_to)
"""

STALE = """
SELECT id, attempts FROM pdf_jobs
WHERE status = 'processing'
  AND (locked_at IS NULL OR locked_at < localtimestamp - make_interval(secs => %(stale)s))
ORDER BY id
FOR UPDATE SKIP LOCKED
"""
TO_PENDING = "UPDATE pdf_jobs SET status = 'pending', locked_at = NULL WHERE id = ANY(%(ids)s)"
TO_FAILED = """
UPDATE pdf_jobs SET status = 'failed', locked_at = NULL, error_message = %(message)s WHERE id = ANY(%(ids)s)
"""

NEXT = """
SELECT id, uploaded_document_id FROM pdf_jobs
WHERE status = 'pending'
ORDER BY id
FOR UPDATE SKIP LOCKED
LIMIT 1
"""
NEXT_EXCEPT = """
SELECT id, uploaded_document_id FROM pdf_jobs
WHERE status = 'pending' AND id <> ALL(%(backing_off)s)
ORDER BY id
FOR UPDATE SKIP LOCKED
LIMIT 1
"""
TAKE = """
UPDATE pdf_jobs SET status = 'processing', locked_at = localtimestamp, attempts = attempts + 1
WHERE id = %(id)s
RETURNING attempts, locked_at::timestamp
"""

FENCE = "id = %(id)s AND status = 'processing' AND attempts = %(attempts)s AND locked_at = ANY(%(stamps)s)"
HELD = f"SELECT 1 FROM pdf_jobs WHERE {FENCE}"
# In whole seconds, which every precision of the column keeps: so the value is known even when the answer is lost.
NOW = "SELECT date_trunc('second', localtimestamp)"
RENEW = f"UPDATE pdf_jobs SET locked_at = %(now)s WHERE {FENCE}"

DONE = f"UPDATE pdf_jobs SET status = 'done', locked_at = NULL, error_message = NULL WHERE {FENCE}"
RESULTS = """
UPDATE uploaded_documents
SET ml_raw_result = %(raw)s, ml_normalized_result = %(normalized)s, processed_at = localtimestamp
WHERE id = %(document)s
"""
FAILED = f"UPDATE pdf_jobs SET status = 'failed', locked_at = NULL, error_message = %(message)s WHERE {FENCE}"
RETRY = f"UPDATE pdf_jobs SET status = 'pending', locked_at = NULL, error_message = %(message)s WHERE {FENCE}"
RELEASED = f"UPDATE pdf_jobs SET status = 'pending', locked_at = NULL, attempts = attempts - 1 WHERE {FENCE}"

ROW_STATUS = "SELECT status::text, attempts, locked_at IS NULL FROM pdf_jobs WHERE id = %(id)s"
IS_WORK_LEFT = "SELECT EXISTS (SELECT FROM pdf_jobs WHERE status IN ('pending', 'processing'))"
