"""The worker: claims jobs, runs them in child processes, keeps their leases, and lets go of them properly."""
