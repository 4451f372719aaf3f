"""The system calls that sandboxes on this machine are refused, by name and by argument.

A deny list, close to what Docker's default profile refuses to a container without capabilities:
whatever changes the system, opens another door of the kernel, or makes a namespace in which a
process has rights again. Programs that a project tests don't use these; those that try one first
and another then are answered as by an older kernel.
"""

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

NAMESPACES = 0x7E020080
"""Flags of `clone`, the CLONE_NEW* of linux/sched.h: time, cgroup, uts, ipc, user, pid, net,
mount. Answered with EPERM."""

SOCKETS = (1, 2, 10, 16)
"""Families that `socket` may have: AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. No other one is bound
to a network namespace for sure: AF_VSOCK, for one, speaks to the hypervisor. Others are answered
with EAFNOSUPPORT."""

TERMINAL = (0x5412, 0x541C)
"""Requests of `ioctl`: TIOCSTI and TIOCLINUX type into a terminal, for the shell that reads from
it later. Answered with EPERM."""
