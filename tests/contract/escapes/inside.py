"""What hostile code tries from inside a sandbox."""

from __future__ import annotations

import platform
import socket
from pathlib import Path

from tests.contract.escapes.attempt import Attempt, calls, perl
from tests.contract.escapes.host import Host

METADATA = ("169.254.169.254", "100.100.100.200", "fd00:ec2::254")
"""Where clouds tell a machine its credentials: most of them, Alibaba, AWS over IPv6."""

_OPEN_AND_SAY = "for file in {files}; do ({act}) 2>/dev/null && echo got out: $file; done"


def _can(act: str, files: str) -> str:
    return _OPEN_AND_SAY.format(act=act, files=files)


def readings(host: Host) -> tuple[Attempt, ...]:
    """Return attempts to read what belongs to the host or to other processes."""
    pid, file = host.process.pid, host.file
    return (
        Attempt("environment", "env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'"),
        Attempt("environment of a known process", f"cat /proc/{pid}/environ"),
        Attempt("command lines", "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -v 'got out'"),
        Attempt("file by its path", f"cat {file}"),
        Attempt("file by a relative path", f"cat /workspace/../../../../..{file}"),
        Attempt("file through the first process", f"cat /proc/1/root{file} /proc/1/cwd{file}"),
        Attempt("file through a symbolic link", f"ln -s {file} /tmp/to; cat /tmp/to"),
        Attempt("file through a hard link", f"ln {file} /tmp/hard && cat /tmp/hard"),
        Attempt("inherited descriptor", f"cat <&{host.descriptor}"),
        Attempt(
            "descriptors of others",
            f"readlink /proc/[0-9]*/fd/* | grep -q '{file}' && echo got out",
        ),
        Attempt("passwords", "grep -l '\\$' /etc/shadow && echo got out"),
        Attempt("keys of the server's user", "cat /root/.ssh/id_* ~root/.ssh/id_* && echo got out"),
        Attempt("the container engine's socket", _can("[ -S $file ]", "/run/*.sock /run/*/*.sock")),
        Attempt(
            "memory of the server",
            f"dd if=/proc/{pid}/mem bs=1 count=1 && echo got out; cat /proc/{pid}/maps",
        ),
        Attempt("memory of the machine", _can("head -c 1 $file", "/dev/mem /dev/kmem /proc/kcore")),
        Attempt(
            "disks", _can("head -c 1 $file", "/dev/[hsv]d* /dev/nvme* /dev/mapper/* /dev/dm-*")
        ),
        Attempt(
            "name of the machine", f"hostname | grep -qx '{socket.gethostname()}' && echo got out"
        ),
        Attempt(
            "keys of the server and memory of the kernel",
            _can(
                "head -c 1 $file | grep -q .",
                " ".join(
                    f"/proc/{name}"
                    for name in ("keys", "slabinfo", "timer_list", "vmallocinfo", "pagetypeinfo")
                ),
            ),
            kernel=True,
        ),
        Attempt("log of the kernel", _can("head -c 1 $file", "/dev/kmsg /proc/kmsg"), kernel=True),
    )


def touches(host: Host) -> tuple[Attempt, ...]:
    """Return attempts to change or stop what belongs to the host."""
    pid = host.process.pid
    return (
        Attempt("signal to a process", f"kill -9 {pid} && echo got out"),
        Attempt("overwriting a file", f"echo changed > {host.file}"),
        Attempt(
            "changing the system", _can("touch $file/x", "/ /usr /usr/bin /etc /boot /root /var")
        ),
        Attempt(
            "settings of the kernel",
            _can("cat $file > /tmp/kept && cat /tmp/kept > $file", _SETTINGS),
        ),
        Attempt(
            "any file of the kernel",
            "find /proc/sys /proc/[a-z]* /sys -type f -not -path '/proc/self*' -not -path '/proc/thread-self*' -not -path '/proc/pressure/*' -writable -print -quit 2>/dev/null | grep . && echo got out",
            kernel=True,
        ),
        Attempt(
            "modes of the host's devices",
            _can(
                "chmod 666 $file", "/dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty"
            ),
        ),
        Attempt("control groups", _can("echo $$ > $file/cgroup.procs", _GROUPS)),
        Attempt("control groups of version 1", _can("echo 0 > $file/release_agent", _GROUPS)),
        Attempt(
            "the out-of-memory killer", "echo -1000 > /proc/self/oom_score_adj && echo got out"
        ),
        Attempt(
            "programs with set-user-id",
            "for by in su sudo pkexec; do command -v $by && $by -c 'echo got out' </dev/null; done",
        ),
        Attempt(
            "a device of its own",
            "mknod /tmp/memory c 1 1 && head -c 1 /tmp/memory && echo got out",
        ),
        Attempt("typing into a terminal", _type_into_terminal()),
        Attempt("another root user", perl('print "got", " out\\n" if syscall({setuid}, 0) == 0')),
        Attempt(
            "capabilities",
            "grep -E 'Cap(Eff|Prm|Amb):.*[1-9a-f]' /proc/self/status && echo got out",
        ),
        Attempt("new privileges", "grep -q 'NoNewPrivs:.*1' /proc/self/status || echo got out"),
    )


_SETTINGS = "/proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sysrq-trigger /sys/kernel/uevent_helper /proc/sys/fs/binfmt_misc/register"
_GROUPS = "/sys/fs/cgroup /sys/fs/cgroup/* /sys/fs/cgroup/*/*"


def _type_into_terminal() -> str:
    """TIOCSTI puts characters where the shell that started us will read them."""
    program = 'for my $f ("/dev/tty", "/dev/console", glob "/dev/pts/[0-9]*") {'
    program += (
        ' open(T, "+<", $f) or next; my $c = "x"; ioctl(T, 0x5412, $c) and print "got out: $f\\n" }'
    )
    return perl(program)


def kernel_calls(host: Host) -> tuple[Attempt, ...]:
    """Return system calls that open a door of the kernel, or make rights out of nothing."""
    pid = host.process.pid
    new_user, and_mount = 0x10000000, 0x10020000
    here, name = '(my $a = "/tmp\\0")', '(my $b = "tmpfs\\0")'
    return (
        calls("mount", f"{{mount}}, {name}, {here}, {name}, 0, 0"),
        calls("bind mount", f"{{mount}}, {here}, {here}, 0, 4096, 0"),
        calls("unmount", '{umount2}, (my $a = "/proc\\0"), 2'),
        calls("change of root", f"{{chroot}}, {here}", f"{{pivot_root}}, {here}, {here}"),
        calls("user namespace", f"{{unshare}}, {new_user}", f"{{unshare}}, {and_mount}"),
        Attempt("user namespace of a child", _clone(new_user | 17), kernel=True),
        Attempt("other namespaces", _enter_namespaces(), kernel=True),
        calls("trace of another process", f"{{ptrace}}, 16, {pid}, 0, 0"),
        Attempt("memory of another process", _read_memory(pid), kernel=True),
        calls("handle of another process", f"{{pidfd_open}}, {pid}, 0"),
        calls(
            "key ring", '{add_key}, (my $a = "user\\0"), (my $b = "k\\0"), (my $c = "v"), 1, -4 + 0'
        ),
        calls("key ring of the user", "{keyctl}, 0, -4 + 0, 1, 0, 0"),
        calls("programs in the kernel", '{bpf}, 0, (my $a = pack "L4 x112", 2, 4, 4, 1), 128'),
        calls(
            "events of the processor",
            '{perf_event_open}, (my $a = pack "L2 x112", 1, 112), 0, -1 + 0, -1 + 0, 0',
        ),
        calls("rings of requests", '{io_uring_setup}, 1, (my $a = "\\0" x 120)'),
        calls("faults of its own memory", "{userfaultfd}, 0"),
        calls(
            "files by their handle",
            '{open_by_handle_at}, -100 + 0, (my $a = pack("LLQ", 8, 1, 2)), 0',
        ),
        calls(
            "modules",
            '{finit_module}, 0, (my $a = "\\0"), 0',
            '{delete_module}, (my $b = "x\\0"), 0',
        ),
        calls("another kernel", "{kexec_load}, 0, 0, 0, 0"),
        calls("log of the kernel by a call", '{syslog}, 3, (my $a = "\\0" x 64), 64'),
        calls("switching off", "{reboot}, 0xfee1dead, 672274793, 0, 0"),
        calls("swap", '{swapoff}, (my $a = "/none\\0")', '{swapon}, (my $b = "/none\\0"), 0'),
        calls("accounting", "{acct}, 0"),
        Attempt("clock", _set_clock(), kernel=True),
        calls("name of the machine by a call", '{sethostname}, (my $a = "intruder"), 8'),
        calls("hurry", "{setpriority}, 0, 0, -20 + 0"),
        *(calls(f"socket of {name}", f"{{socket}}, {family}, 3, 0") for name, family in _FAMILIES),
        calls("raw socket", "{socket}, 2, 3, 1"),
    )


_FAMILIES = (("packets", 17), ("the hypervisor", 40), ("the kernel's ciphers", 38), ("CAN", 29))


def _clone(flags: int) -> str:
    """Clone as a fork does; the child must not go on with the program."""
    order = "0, 0, 0, 0"  # of stack, thread ids and storage: all unused, whatever the order
    return perl(
        f"my $pid = syscall({{clone}}, {flags}, {order});"
        ' if ($pid == 0) { syscall({exit_group}, 0) } print "got", " out\\n" if $pid > 0;'
    )


def _read_memory(pid: int) -> str:
    return perl(
        'my $b = "\\0" x 8; my ($to, $from) = (pack("PQ", $b, 8), pack("QQ", 0x400000, 8));'
        f' print "got", " out\\n" if syscall({{process_vm_readv}}, {pid}, $to, 1, $from, 1, 0) > 0'
    )


def _enter_namespaces() -> str:
    return perl(
        'for my $n (glob "/proc/1/ns/{{user,mnt,net,pid}}") { open(N, "<", $n) or next;'
        ' print "got out: $n\\n" if syscall({setns}, fileno(N), 0) == 0 }'.replace(
            "{{", "{"
        ).replace("}}", "}")
    )


def _set_clock() -> str:
    """Set the time that it is, so that a success does no harm."""
    return perl(
        'my $now = pack("qq", time, 0);'
        ' print "got", " out\\n" if syscall({clock_settime}, 0, $now) == 0'
        " or syscall({settimeofday}, $now, 0) == 0;"
    )


def connections(host: Host) -> tuple[Attempt, ...]:
    """Return attempts to reach anything at all, for a sandbox that has no network."""
    port = host.port
    reached = (
        Attempt(f"service on {address}", f"cat < /dev/tcp/{address}/{port} && echo got out")
        for address in ("127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", *host.addresses)
    )
    clouds = (
        Attempt(f"metadata of a cloud, {address}", f"exec 3<>/dev/tcp/{address}/80 && echo got out")
        for address in METADATA
    )
    return (
        *reached,
        *clouds,
        Attempt("datagrams", f"echo x > /dev/udp/127.0.0.1/{port}"),
        Attempt("names", "getent hosts example.org && echo got out"),
        Attempt("a name server", "".join(_ask(server) for server in _name_servers())),
        Attempt("an address anywhere", "exec 3<>/dev/tcp/192.0.2.1/443 && echo got out"),
        Attempt(
            "an address of IPv6 anywhere",
            "exec 3<>/dev/tcp/2001:db8::1/443 && echo got out; "
            "grep -vE ' (lo|ip6tnl0|sit0)$' /proc/net/if_inet6 && echo got out",
        ),
        Attempt("abstract socket", _connect_unix(f"\\0{host.abstract}")),
        Attempt("unix socket", _connect_unix(str(host.socket))),
        Attempt("interfaces", "grep -E '^ *(eth|en|wl|docker|br)' /proc/net/dev && echo got out"),
    )


def _name_servers() -> tuple[str, ...]:
    lines = Path("/etc/resolv.conf").read_text().splitlines()
    found = (line.split() for line in lines)
    return tuple(words[1] for words in found if len(words) > 1 and words[0] == "nameserver")


def _ask(server: str) -> str:
    return f"echo x > /dev/udp/{server}/53 && echo got out; "


def _connect_unix(name: str) -> str:
    return perl(
        f'socket(S, 1, 1, 0) or die; connect(S, pack("S a*", 1, "{name}")) or die "$!\\n";'
        ' print scalar <S>; print "got", " out\\n";'
    )


def usable() -> bool:
    """Whether the numbers of this machine's system calls are known."""
    return platform.machine() in {"x86_64", "aarch64"}
