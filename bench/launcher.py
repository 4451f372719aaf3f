"""Run a command and print, as one line of JSON, what it cost.

A program of its own that imports next to nothing: Linux counts the memory of whoever starts a
process into that process's peak, so a large starter would hide a small one.

    python -I -S bench/launcher.py COMMAND [ARGUMENT ...]
"""

import json
import os
import subprocess
import sys
import time


def main() -> None:
    """Run the command; its stdout goes to stderr, so that ours has one line alone."""
    started = time.perf_counter()
    process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=sys.stderr)
    _, status, usage = os.wait4(process.pid, 0)
    cost = {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_bytes": usage.ru_maxrss * 1024,
        "exit_code": os.waitstatus_to_exitcode(status),
    }
    print(json.dumps(cost))


if __name__ == "__main__":
    main()
