"""A judge's endpoint on the loopback: an OpenAI-compatible server whose answers a test scripts."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, str]
"""HTTP status, and the message's content (200) or the error's words."""


class Endpoint:
    """What was asked, and what is answered: by a function of the request's body and the number of the call, from 0."""

    def __init__(self, answer: Callable[[dict[str, Any], int], Answer]) -> None:
        self.requests: list[dict[str, Any]] = []
        self._answer = answer
        self._lock = threading.Lock()
        self.url = ""

    def reply(self, body: dict[str, Any]) -> Answer:
        with self._lock:
            self.requests.append(body)
            number = len(self.requests) - 1
        return self._answer(body, number)


@contextlib.contextmanager
def serve(answer: Callable[[dict[str, Any], int], Answer]) -> Iterator[Endpoint]:
    """A running endpoint; its ``url`` is an api_base."""
    endpoint = Endpoint(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, text = endpoint.reply(body)
            data = json.dumps(_completion(text) if status == 200 else {"error": {"message": text}}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _completion(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }
