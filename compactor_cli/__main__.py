"""Entry point of the `compactor` script and of `python -m compactor_cli`. Few imports happen before Ctrl-C is
handled."""

from __future__ import annotations

import atexit
import gc
import os
import sys


def main() -> None:
    """Run the command line. An interrupt during imports has the same exit code as any other."""
    # a short run over many small values without reference cycles: garbage collection would only cost time
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
    """End the process immediately if nothing is left to do. Otherwise Python would first free all modules and
    vocabularies, which takes as long as compacting a short session."""
    threads = sys.modules.get("threading")
    if sys.getprofile() or sys.gettrace() or (threads is not None and threads.active_count() > 1):
        return
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # Python reports it with its own exit code
        return
    os._exit(code & 0xFF)


if __name__ == "__main__":
    main()
