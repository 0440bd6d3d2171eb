"""`blobforge` that waits for no disk: what `durability` compares with. SQLite's own syncs stay."""

import sys
from unittest.mock import patch

from blobforge.cli.main import main

if __name__ == "__main__":
    with patch("os.fsync"), patch("blobforge.durable_files._syncfs"):
        sys.exit(main())
