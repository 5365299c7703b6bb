"""`python -m bestby` is the command `bestby`."""

import sys

from bestby.cli import main

if __name__ == "__main__":
    sys.exit(main())
