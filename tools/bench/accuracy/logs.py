"""Logs: what this machine's package managers wrote, and made-up ones of servers, tests and builds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

_SYSTEM = ("dpkg.log*", "alternatives.log*", "apt/history.log", "apt/term.log", "*.log")
_MODULES = (
    "orders",
    "basket",
    "payment.gateway",
    "users",
    "search_index",
    "mailer",
    "cache.redis",
    "db.pool",
)
_MESSAGES = (
    "request finished", "cache miss for key", "retrying after timeout", "connection reset by peer",
    "user logged in", "slow query detected", "job enqueued", "deprecated option is ignored",
)  # fmt: skip


def texts() -> Iterator[tuple[str, str]]:
    for number in range(25):
        for make in (_server, _access, _tests, _build, _trace):
            yield f"{make.__name__}-{number}", "\n".join(make(random.Random(number)))
        yield from _system(number)


def _system(number: int) -> Iterator[tuple[str, str]]:
    """One stretch of each of the machine's own logs."""
    folder = Path("/var/log")
    for path in sorted({path for name in _SYSTEM for path in folder.glob(name)}):
        try:
            body = path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        piece = body[number * 9000 : (number + 1) * 9000]
        if len(piece) > 2000:
            yield f"{path.name}-{number}", piece


def _server(chance: random.Random) -> Iterator[str]:
    for second in range(150):
        level = chance.choice(("INFO", "INFO", "INFO", "DEBUG", "WARNING", "ERROR"))
        clock = f"14:{second // 60:02}:{second % 60:02},{chance.randrange(1000):03}"
        yield (
            f"2026-11-{chance.randrange(1, 30):02} {clock} {level:<8} [{chance.choice(_MODULES)}] "
            f"{chance.choice(_MESSAGES)} id={chance.getrandbits(48):012x} ms={chance.random() * 900:.1f}"
        )


def _access(chance: random.Random) -> Iterator[str]:
    for _ in range(110):
        address = ".".join(str(chance.randrange(256)) for _ in range(4))
        path = "/".join(("/api/v2", chance.choice(_MODULES).split(".")[0], str(chance.randrange(10**6))))
        yield (
            f"{address} - - [30/Nov/2026:10:{chance.randrange(60):02}:{chance.randrange(60):02} +0000] "
            f'"GET {path}?page={chance.randrange(40)} HTTP/1.1" {chance.choice((200, 200, 304, 404, 500))} '
            f'{chance.randrange(90_000)} "-" "Mozilla/5.0 (X11; Linux x86_64) Firefox/133.0"'
        )


def _tests(chance: random.Random) -> Iterator[str]:
    yield "============================= test session starts =============================="
    yield "platform linux -- Python 3.11.7, pytest-8.4.2, pluggy-1.6.0 -- /usr/bin/python3"
    for number in range(120):
        module = chance.choice(_MODULES).replace(".", "/")
        fate = chance.choice(("PASSED", "PASSED", "PASSED", "FAILED", "SKIPPED (no network)"))
        share = number * 100 // 120
        case = f"test_discount_is_kept[{chance.randrange(99)}-eur]"
        yield f"tests/{module}/test_total.py::{case} {fate} [{share:3}%]"
    yield f"=================== {number} passed, 2 failed in {chance.random() * 90:.2f}s ==================="


def _build(chance: random.Random) -> Iterator[str]:
    for step in range(1, 130):
        name = chance.choice(_MODULES).replace(".", "/")
        yield (
            f"[{step}/130] Building CXX object src/CMakeFiles/app.dir/{name}_{step}.cpp.o"
            if chance.random() > 0.2
            else f"src/{name}.cpp:{chance.randrange(900)}:{chance.randrange(80)}: warning: unused variable "
            f"'tmp{step}' [-Wunused-variable]"
        )


def _trace(chance: random.Random) -> Iterator[str]:
    for _ in range(12):
        yield "Traceback (most recent call last):"
        for _ in range(chance.randrange(3, 7)):
            module = chance.choice(_MODULES).replace(".", "/")
            name = chance.choice(_MESSAGES).split()[0]
            yield f'  File "/srv/app/{module}.py", line {chance.randrange(800)}, in {name}'
            yield f"    return self.{name}.call(order_id={chance.randrange(10**5)}, retries=3)"
        yield f"ConnectionResetError: [Errno 104] {chance.choice(_MESSAGES)}"
