"""How a queue and its workers are doing, for people who look: `dashboard`, `watch` and `workers`."""
