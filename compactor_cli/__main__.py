"""Begin the `compactor` script and `python -m compactor_cli`. Little is imported before Ctrl-C is caught."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line; an interrupt while it is still being imported has the exit code of any other."""
    try:
        if "_COMPACTOR_COMPLETE" in os.environ:
            from compactor_cli.cli.completing import answer

            answer()
            return
        from compactor_cli.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; nothing was left half-written\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
