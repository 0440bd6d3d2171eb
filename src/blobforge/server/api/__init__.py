"""What the API has, and which method of the core answers it.

`jobs`, `blobs`, `claiming`, `documents`, `workers`, `health` and `whoami` are the public API, which any client speaks;
`registering`, `settling`, `steering`, `looking`, `many`, `news`, `pausing`, `sources`, `stored`, `shards` are the queue
protocol, in which our own client is a Coordinator; `admin` manages accounts, `reference` shows the OpenAPI.
"""
