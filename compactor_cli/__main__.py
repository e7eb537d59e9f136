"""Entry point of the `compactor` script and of `python -m compactor_cli`; Ctrl-C is handled before most imports."""

from __future__ import annotations

import atexit
import gc
import os
import sys

_LARGEST_BLOCK = (1 << 25) - (1 << 16)
"""Bytes of about the largest block whose memory glibc reuses."""


def main() -> None:
    """Run the command line. An interrupt during imports has the same exit code as any other."""
    # a short run over many small values without reference cycles: garbage collection would only cost time
    gc.disable()
    reuse_memory()
    try:
        if "_COMPACTOR_COMPLETE" in os.environ:
            from compactor_cli.cli.completing import print_completions

            print_completions()
            return
        from compactor_cli.cli.app import main as run

        try:
            run()
        except SystemExit as ended:
            if ended.code is None or isinstance(ended.code, int):
                _end(ended.code or 0)
            raise
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; no file was left half-written\n")
        sys.exit(130)


def reuse_memory() -> None:
    """Let the allocator reuse the memory of large blocks. glibc returns blocks of 128 KB and more to the system when
    they are freed, up to the size of the largest that was; a vocabulary that grows needs many, always with new pages.
    This block is freed untouched. Elsewhere this has no effect."""
    bytes(_LARGEST_BLOCK)


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
