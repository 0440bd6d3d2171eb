"""The contract of a Coordinator by theme; blobforge.testing.coordinator_contract puts them together."""
