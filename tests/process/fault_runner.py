"""One hook process in which the file system fails at one place.

    python3 -I -S fault_runner.py ROOT ENTRYPOINT CALL PART ERRNO < payload.json

CALL is what fails: open-write, open-read, read, write, half, sync, rename, link, mkdir or lock; "change" is
all that a file system without leave to write refuses, "create" what one without a free block does. PART is a
part of the path. It fails for as long as the process lives, as a full disk does. With "none" nothing fails;
"later" is the same half a minute later, "earlier" a day before.
"""

import errno
import os
import sys

root, entrypoint, call, part, number = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5])
real = {
    name: getattr(os, name)
    for name in ("open", "read", "write", "fsync", "rename", "replace", "link", "mkdir", "unlink")
}
paths: dict = {}


def fails(name: str, path: object) -> bool:
    return call in (name, "change") and part in str(path)


def error(path: object) -> OSError:
    return OSError(number, os.strerror(number), str(path))


def open_(path, flags, *rest, **more):
    writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if call in (("open-write", "change") if writes else ("open-read",)) and part in str(path):
        raise error(path)
    if call == "create" and writes & os.O_CREAT and part in str(path) and not os.path.exists(path):
        raise error(path)
    fd = real["open"](path, flags, *rest, **more)
    paths[fd] = path
    return fd


def read(fd, size):
    if call == "read" and fails("read", paths.get(fd, "")):
        raise error(paths[fd])
    return real["read"](fd, size)


def write(fd, data):
    if fails("write", paths.get(fd, "")):
        raise error(paths[fd])
    if call == "half" and fails("half", paths.get(fd, "")) and len(data) > 1:
        real["write"](fd, bytes(data)[: len(data) // 2])
        raise error(paths[fd])
    return real["write"](fd, data)


def fsync(fd):
    if fails("sync", paths.get(fd, "")):
        raise error(paths[fd])
    return real["fsync"](fd)


def moving(name):
    def move(source, target, **more):
        if fails("link" if name == "link" else "rename", target):
            raise error(target)
        return real[name](source, target, **more)

    return move


def unlink(path, *rest, **more):
    if call == "change" and part in str(path):
        raise error(path)
    return real["unlink"](path, *rest, **more)


def mkdir(path, *rest, **more):
    if fails("mkdir", path) or (call == "create" and part in str(path)):
        raise error(path)
    return real["mkdir"](path, *rest, **more)


os.open, os.read, os.write, os.fsync, os.mkdir = open_, read, write, fsync, mkdir
os.rename, os.replace, os.link, os.unlink = moving("rename"), moving("replace"), moving("link"), unlink
if call == "lock":
    import fcntl

    real_flock = fcntl.flock

    def flock(fd, how):
        if part in str(paths.get(fd, "")):
            raise error(paths[fd])
        return real_flock(fd, how)

    fcntl.flock = flock

if call in ("later", "earlier"):
    import time

    now, shift_s = time.time, 31 if call == "later" else -86_400
    time.time = lambda: now() + shift_s

assert errno.errorcode[number]
sys.path[:0] = [root + "/hooks", root + "/src"]
__import__(entrypoint).main()
