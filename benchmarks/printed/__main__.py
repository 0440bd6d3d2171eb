"""Makes the pages: python -m benchmarks.printed OUT."""

from benchmarks.making import write_series
from benchmarks.printed import make_all

if __name__ == "__main__":
    write_series("printed", make_all)
