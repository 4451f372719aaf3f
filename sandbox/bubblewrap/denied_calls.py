"""The system calls that a jail's filter names; `scripts/syscall-numbers` looks their numbers up."""

from __future__ import annotations

FORBIDDEN = (
    *("mount", "umount2", "pivot_root", "chroot", "unshare", "setns"),
    *("add_key", "request_key", "keyctl"),
    *("bpf", "perf_event_open", "userfaultfd", "fanotify_init", "open_by_handle_at"),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"),
    *("create_module", "get_kernel_syms", "query_module", "_sysctl", "nfsservctl", "uselib"),
    *("reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "syslog", "vhangup"),
    *("settimeofday", "clock_settime", "clock_adjtime", "adjtimex"),
    *("iopl", "ioperm", "modify_ldt", "lookup_dcookie", "move_pages", "migrate_pages"),
)
"""Answered with EPERM."""

UNKNOWN = (
    *("clone3", "io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr"),
)
"""Answered with ENOSYS: programs then fall back. The flags of clone3 can't be seen by a filter."""

INSPECTED = ("clone", "ioctl", "socket")
"""Allowed or refused by their arguments."""
