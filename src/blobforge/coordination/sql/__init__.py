"""The queue in a SQL database: one store, with the few statements that must be fast kept on the driver."""
