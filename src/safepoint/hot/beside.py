"""Work that runs beside the process's own: git has a second core while the state is being written."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")

# Each system call of a thread gives Python away, and it has it again only after so long (usually 5 ms) while
# another thread computes: beside one that imports, each call of git waited for it several times.
SWITCH_S = 0.0001


def begin(work: Callable[[], T]) -> Callable[[], T]:
    """Start `work` in a thread; what comes back waits for it, and returns its result or raises its error.

    It has to be called, and `work` has to end by itself: the process does not wait for a thread. Where no
    thread can be had, the work is done when it is waited for.
    """
    import _thread

    outcome: dict[str, Any] = {}
    over = _thread.allocate_lock()

    def run() -> None:
        try:
            outcome["result"] = work()
        except BaseException as error:
            outcome["error"] = error
        finally:
            over.release()

    def wait() -> T:
        with over:
            if "error" in outcome:
                raise outcome["error"]
            result: T = outcome["result"]
            return result

    over.acquire()
    sys.setswitchinterval(SWITCH_S)
    try:
        _thread.start_new_thread(run, ())
    except RuntimeError:
        over.release()
        return work
    return wait
