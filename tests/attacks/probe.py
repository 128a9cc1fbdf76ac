"""Runs inside the sandbox and tries to get out. Prints {attack: [succeeded, detail]} as JSON.

Arguments: the number of a process outside, then paths outside that must not be readable."""
import ctypes
import errno
import json
import os
import socket
import stat
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
results = {}
OUTSIDER = int(sys.argv[1])


def tried(name, succeeded, detail=""):
    results[name] = [bool(succeeded), str(detail)[:200]]


def attempt(name, action):
    """The attack succeeds when the action does."""
    try:
        detail = action()
        tried(name, True, detail)
    except OSError as error:
        tried(name, False, errno.errorcode.get(error.errno, error))
    except Exception as error:  # refused in another way
        tried(name, False, repr(error))


def call(name, number, *arguments):
    """In a child: one that succeeds may change what the process sees."""
    def action():
        child = os.fork()
        if child == 0:
            given = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
            os._exit(0 if libc.syscall(ctypes.c_long(number), *given) >= 0 else min(ctypes.get_errno(), 255))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code != 0:
            raise OSError(abs(code), name)
    attempt(name, action)


def read(path):
    with open(path, "rb") as file:
        return file.read(200)


X86 = os.uname().machine == "x86_64"
if X86:
    for name, flag in (("user", 0x10000000), ("mount", 0x00020000), ("network", 0x40000000), ("pid", 0x20000000), ("ipc", 0x08000000),
                       ("uts", 0x04000000), ("cgroup", 0x02000000)):
        call(f"a new {name} namespace", 272, flag)
    call("mount", 165, ctypes.c_char_p(b"none"), ctypes.c_char_p(b"/tmp"), ctypes.c_char_p(b"tmpfs"), 0, 0)
    call("umount", 166, ctypes.c_char_p(b"/tmp"), 2)
    call("pivot_root", 155, ctypes.c_char_p(b"/tmp"), ctypes.c_char_p(b"/tmp"))
    call("chroot", 161, ctypes.c_char_p(b"/tmp"))
    call("the new mount calls", 430, ctypes.c_char_p(b"tmpfs"), 0)
    call("open_tree", 428, -100, ctypes.c_char_p(b"/"), 1)
    call("setns", 308, 0, 0)
    call("ptrace", 101, 0, 0, 0, 0)
    call("another process's memory", 310, os.getppid(), 0, 0, 0, 0, 0)
    call("the session keyring", 250, 0, -3, 0)
    call("a key of its own", 248, ctypes.c_char_p(b"user"), ctypes.c_char_p(b"x"), ctypes.c_char_p(b"y"), 1, -3)
    call("request_key", 249, ctypes.c_char_p(b"user"), ctypes.c_char_p(b"x"), 0, -3)
    call("bpf", 321, 0, 0, 0)
    call("perf_event_open", 298, 0, 0, -1, -1, 0)
    call("userfaultfd", 323, 0)
    call("io_uring", 425, 1, ctypes.create_string_buffer(120))
    call("loading a module", 313, 0, ctypes.c_char_p(b""), 0)
    call("reboot", 169, 0xfee1dead - (1 << 32), 672274793, 0, 0)
    call("file handles", 304, -100, 0, 0)
    call("memory without a process (shm)", 29, 0, 1 << 20, 0o1600)
    call("memory without a process (memfd)", 319, ctypes.c_char_p(b"x"), 0)
    call("the host's name", 170, ctypes.c_char_p(b"evil"), 4)
    call("the clock", 227, 0, ctypes.create_string_buffer(16))
    call("a port (iopl)", 172, 3)
    call("clone3 with a namespace", 435, ctypes.create_string_buffer((0x10000000).to_bytes(8, "little") + bytes(80), 88), 88)
    call("clone with a namespace", 56, 0x10000000 | 17, 0, 0, 0, 0)

os.chdir("/task/work")
open("bits", "w").close()


def setid(action, path="bits"):
    def run():
        action()
        mode = os.stat(path).st_mode
        if not mode & (stat.S_ISUID | stat.S_ISGID):
            raise OSError(errno.EPERM, "no bit")
        return oct(mode)
    return run


attempt("setuid by chmod", setid(lambda: os.chmod("bits", 0o4755)))
attempt("setgid by chmod", setid(lambda: os.chmod("bits", 0o2755)))
attempt("setuid by fchmod", setid(lambda: os.fchmod(os.open("bits", os.O_RDWR), 0o4755)))
attempt("setuid by open", setid(lambda: os.open("opened", os.O_CREAT | os.O_WRONLY, 0o4777), "opened"))
attempt("setuid by mknod", setid(lambda: os.mknod("made", 0o104777), "made"))
if X86:
    call("setuid by creat", 85, ctypes.c_char_p(b"created"), 0o4777)
    call("setuid by openat2", 437, -100, ctypes.c_char_p(b"opened2"), ctypes.create_string_buffer(
        (os.O_CREAT | os.O_WRONLY).to_bytes(8, "little") + (0o4777).to_bytes(8, "little") + bytes(8), 24), 24)
attempt("a device", lambda: os.mknod("device", 0o020666, os.makedev(1, 3)) or open("device").close())


def telling(path):
    text = read(path)
    secret = b"CANARY" in text if path.endswith("environ") else text and int(text.split()[0], 16) != 0
    if not secret:
        raise OSError(errno.EPERM, "nothing in it")


for path in ("/etc/passwd", "/etc/shadow", "/etc/hosts", "/root", "/home", "/var/log", "/proc/1/environ", "/proc/kcore", "/proc/kallsyms",
             "/sys/kernel", "/proc/sys/kernel/core_pattern", "/dev/mem", "/dev/kmsg", "/dev/sda", *sys.argv[2:]):
    if path in ("/proc/1/environ", "/proc/kallsyms"):  # may open, as long as neither secrets nor addresses are in it
        attempt(f"reading {path}", lambda: telling(path))
    elif os.path.isdir(path) or path in ("/root", "/home", "/var/log", "/sys/kernel"):
        attempt(f"reading {path}", lambda: os.listdir(path)[0])
    elif path == "/proc/sys/kernel/core_pattern":
        attempt(f"writing {path}", lambda: open(path, "w").write("|/tmp/x"))
    else:
        attempt(f"reading {path}", lambda: read(path))
for path in ("/usr/bin/evil", "/etc/evil", "/task/inputs/evil", "/task/evil", "/dev/evil", "/evil", "/proc/evil", "/lib/evil"):
    attempt(f"writing {path}", lambda: open(path, "w").write("x"))

tried("secrets in the environment", any("CANARY" in key or "CANARY" in value for key, value in os.environ.items()), sorted(os.environ))
tried("other processes", len([name for name in os.listdir("/proc") if name.isdigit()]) > 12, os.listdir("/proc"))
tried("root", os.geteuid() == 0 or os.getuid() == 0, os.getuid())
with open("/proc/self/status") as status:
    words = dict(line.split(":", 1) for line in status)
tried("capabilities", int(words["CapEff"], 16) != 0, words["CapEff"])
tried("new privileges", words["NoNewPrivs"].strip() != "1", words["NoNewPrivs"])
tried("no filter of system calls", words["Seccomp"].strip() != "2", words["Seccomp"])
attempt("kill a process of the host", lambda: os.kill(OUTSIDER, 9))

for name, family, address in (("the network", socket.AF_INET, ("1.1.1.1", 53)), ("the loopback of the host", socket.AF_INET, ("127.0.0.1", 22)),
                              ("the metadata service", socket.AF_INET, ("169.254.169.254", 80))):
    def connect():
        with socket.socket(family, socket.SOCK_STREAM) as one:
            one.settimeout(2)
            one.connect(address)
    attempt(name, connect)
attempt("a raw socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("a packet socket", lambda: socket.socket(17, socket.SOCK_RAW, 3))
names = [name for _, name in socket.if_nameindex()]
tried("the host's network devices", set(names) - {"lo"}, names)


def new_device():
    """RTM_NEWLINK over netlink: a dummy device; the kernel answers with an error number, 0 for done."""
    kind = struct.pack("=HH5sxxx", 9, 1, b"dummy")
    body = struct.pack("=BxHiII", 0, 0, 0, 0, 0) + struct.pack("=HH", 4 + len(kind), 18) + kind
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as link:
        link.settimeout(2)
        link.send(struct.pack("=IHHII", 16 + len(body), 16, 0x605, 1, 0) + body)
        answer = link.recv(4096)
    code = struct.unpack_from("=i", answer, 16)[0]
    if code != 0:
        raise OSError(-code, "refused")


attempt("a new network device", new_device)


def fill(path, size):
    def action():
        piece = bytes(1 << 20)
        with open(path, "wb") as file:
            for _ in range(size):
                file.write(piece)
    return action


attempt("more than 256 MiB in /tmp", fill("/tmp/full", 400))
os.path.exists("/tmp/full") and os.unlink("/tmp/full")
attempt("more than 256 MiB in /dev/shm", fill("/dev/shm/full", 400))
os.path.exists("/dev/shm/full") and os.unlink("/dev/shm/full")


def forks():
    children = 0
    try:
        for _ in range(500):
            pid = os.fork()
            if pid == 0:
                import time
                time.sleep(5)
                os._exit(0)
            children += 1
    except OSError:
        pass
    if children < 200:
        raise OSError(errno.EAGAIN, f"{children} children")
    return children


attempt("a fork bomb", forks)
print(json.dumps(results), flush=True)
os._exit(0)
