"""A scripted model on loopback, for the real client to talk to."""

import json
import threading
from collections.abc import Iterable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Optional, Union

from model_request import Request
from model_script import Step, Turn, Usage, failure, message, occupying, server_sent_events, turn

Where = Union[str, Callable[[Request], bool]]


class Model:
    """Plays `steps` to the main conversation, one a request, over as many runs of the client as there are.
    When they are used up it says "Done." and the turn is over.

    A step is a turn, a plain text, or a function of the request that returns one. `subagents` are pairs of
    (part of the subagent's prompt, or a predicate on its request; steps): each subagent plays them from the
    first. A step that raises ends the turn, and the error is raised again on leaving the `with` block."""

    def __init__(
        self,
        *steps: Step,
        subagents: Iterable[tuple[Where, Sequence[Step]]] = (),
        summary: str = "The work so far, in one line.",
        tokens: int = 1000,
    ) -> None:
        self.requests: list[Request] = []
        self.errors: list[Exception] = []
        self.summary = summary
        self._start = occupying(tokens)
        self._subagents = list(subagents)
        self._left: dict[Optional[str], list[Step]] = {None: list(steps)}
        self._usage: dict[Optional[str], Usage] = {}
        self._lock = threading.Lock()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> "Model":
        self._thread.start()
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        if self.errors and kind is None:
            raise self.errors[0]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def unplayed(self) -> int:
        """Steps of the main conversation that no request has asked for."""
        return len(self._left[None])

    def then(self, *steps: Step) -> None:
        """More steps for the main conversation, for a later run."""
        with self._lock:
            self._left[None] += steps

    def of_kind(self, kind: str) -> list[Request]:
        with self._lock:
            return [request for request in self.requests if request.kind == kind]

    @property
    def main(self) -> list[Request]:
        return self.of_kind("main")

    def subagent(self, where: Where = "") -> list[Request]:
        return [request for request in self.of_kind("subagent") if _matches(where, request)]

    def answer(self, request: Request) -> tuple[Turn, Usage]:
        with self._lock:
            self.requests.append(request)
            step = self._next_step(request)
        # Outside the lock: a step may wait, for instance until a parallel agent has been served.
        try:
            said = step(request) if callable(step) else step
        except Exception as error:
            self.errors.append(error)
            said = failure(403, "permission_error", f"the model's script failed: {error!r}")
        request.answer = said if isinstance(said, Turn) else turn(said or "Done.")
        return request.answer, self._usage_for(request)

    def _next_step(self, request: Request) -> Step:
        if request.kind == "side":
            return json.dumps({"title": "Scripted session"})
        if request.kind == "summary":
            # Without both tags the client asks a second time.
            return f"<analysis>\nRead it.\n</analysis>\n\n<summary>\n{self.summary}\n</summary>"
        if request.agent_id not in self._left:
            scripts = [steps for where, steps in self._subagents if _matches(where, request)]
            self._left[request.agent_id] = list(scripts[0]) if scripts else []
        left = self._left[request.agent_id]
        return left.pop(0) if left else "Done."

    def _usage_for(self, request: Request) -> Usage:
        with self._lock:
            level = self._usage.get(request.agent_id, self._start)
            if request.answer and request.answer.usage:
                level = request.answer.usage
            if request.kind in ("main", "subagent"):
                self._usage[request.agent_id] = level
            return level


def _matches(where: Where, request: Request) -> bool:
    return where(request) if callable(where) else any(where in prompt for prompt in request.prompts or [""])


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: Model) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, *_: Any) -> None:
        """A client that was killed leaves a broken pipe; that is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._send(404, b"")

    do_GET = do_HEAD

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.path.startswith("/v1/messages"):
            return self._error(404, "not_found_error", self.path)
        request = Request(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(raw))
        if request.kind == "count":
            with self.server.model._lock:
                self.server.model.requests.append(request)
            return self._json(200, {"input_tokens": len(raw) // 4})
        answer, usage = self.server.model.answer(request)
        if answer.error:
            return self._error(*answer.error)
        whole = message(answer, usage, request.model)
        if not request.body.get("stream"):
            return self._json(200, whole)
        self._send(200, b"".join(server_sent_events(whole)), "text/event-stream")

    def _error(self, status: int, kind: str, text: str) -> None:
        self._json(status, {"type": "error", "error": {"type": kind, "message": text}})

    def _json(self, status: int, value: Any) -> None:
        self._send(status, json.dumps(value).encode())

    def _send(self, status: int, payload: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)
