"""`python -m interleaf`, the same command as `interleaf`."""

import sys

from interleaf.cli import main

if __name__ == "__main__":
    sys.exit(main())
