"""Begin the `compactor` script and `python -m compactor_cli`. Little is imported before Ctrl-C is caught."""

from __future__ import annotations

import atexit
import gc
import os
import sys


def main() -> None:
    """Run the command line; an interrupt while it is still being imported has the exit code of any other."""
    # one short run over many small values, none of them in cycles: the collector only costs time
    gc.disable()
    try:
        if "_COMPACTOR_COMPLETE" in os.environ:
            from compactor_cli.cli.completing import answer

            answer()
            return
        from compactor_cli.cli.app import main as run

        try:
            run()
        except SystemExit as ended:
            if ended.code is None or isinstance(ended.code, int):
                _end(ended.code or 0)
            raise
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; nothing was left half-written\n")
        sys.exit(130)


def _end(code: int) -> None:
    """End the process at once where nothing is left to do. Python would first take apart all that is in memory, modules
    and vocabularies, which takes as long as to compact a short session."""
    threads = sys.modules.get("threading")
    if sys.getprofile() or sys.gettrace() or (threads is not None and threads.active_count() > 1):
        return
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # Python says so, and has an exit code for it
        return
    os._exit(code & 0xFF)


if __name__ == "__main__":
    main()
