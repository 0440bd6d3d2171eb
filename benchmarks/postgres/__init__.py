"""How fast the queue on PostgreSQL is, against plain SQL and against other queues in Python."""
