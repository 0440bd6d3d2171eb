"""The SQL store on PostgreSQL: the same tables, another way to lock, write and be woken."""
