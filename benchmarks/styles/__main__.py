"""Makes the pages: python -m benchmarks.styles OUT."""

from benchmarks.making import write_series
from benchmarks.styles import make_all

if __name__ == "__main__":
    write_series("styles", make_all)
