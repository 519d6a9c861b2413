"""Ctrl-C and its like, counted: the first asks for an end, the second demands it, the third breaks us off."""

from __future__ import annotations

import os
import select
import signal
from types import FrameType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """`with Interrupts() as interrupts`: `count` of them so far; `fd` becomes readable with each."""

    def __init__(self) -> None:
        self.count = 0
        self.fd, self._write_fd = os.pipe()
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        for fd in (self.fd, self._write_fd):
            os.set_blocking(fd, False)
        self._wakeup_before = signal.set_wakeup_fd(self._write_fd, warn_on_full_buffer=False)
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
                self._before[number] = signal.signal(number, self._came)
        return self

    def __exit__(self, *exc_info: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup_before)
        os.close(self.fd)
        os.close(self._write_fd)

    def _came(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1
        if self.count > 2:
            raise KeyboardInterrupt

    def ask(self) -> None:
        """As the first Ctrl-C does, where nobody is there any more to press it."""
        self.count = max(self.count, 1)

    def wait(self, seconds: float) -> None:
        """Sleep; a signal ends that early."""
        if not self.count:
            select.select([self.fd], [], [], max(0.0, seconds))
