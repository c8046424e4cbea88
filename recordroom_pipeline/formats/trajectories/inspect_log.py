"""Inspect AI logs: one JSON file, or the ``.eval`` archive with a file for each sample."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from recordroom_pipeline.formats.trajectories.messages import Call, Log, Message, Record, text_of

# An archive is small and may unpack to anything; what is larger than this in all is refused unread.
MAX_UNPACKED = 1 << 30
_TAKEN = frozenset({"id", "epoch", "messages", "attachments"})
_LABELS = frozenset({"target", "scores", "score", "choices"})
_REFERENCE = "attachment://"


def is_inspect(value: Any) -> bool:
    """Whether a JSON document is an Inspect log."""
    return isinstance(value, dict) and isinstance(value.get("eval"), dict) and "status" in value


def unzip(data: bytes, log: Log) -> dict[str, Any] | None:
    """The log that an ``.eval`` archive holds, as its JSON form would have it; None with the fault reported."""
    with log.record(1, ""):
        try:
            return _unzipped(data, log)
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, RuntimeError) as error:
            log.fault("RR649", f"the archive cannot be unpacked: {error}", "convert it: `inspect log convert --to json`")
        except (ValueError, RecursionError) as error:
            log.fault("RR641", f"a file of the archive is not JSON: {error}", "export the log again")
    return None


def _unzipped(data: bytes, log: Log) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = archive.infolist()
        if sum(info.file_size for info in infos) > MAX_UNPACKED:
            log.fault("RR649", "the archive unpacks to more than 1 GiB", "export fewer samples")
        names = sorted(info.filename for info in infos)
        header_name = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
        if header_name is None:
            log.fault("RR640", "the archive holds no header.json of Inspect", "give an .eval file")
        header = json.loads(archive.read(header_name))
        samples = [json.loads(archive.read(name)) for name in names if name.startswith("samples/") and name.endswith(".json")]
    return {**(header if isinstance(header, dict) else {}), "samples": samples}


def read_inspect(value: Any, log: Log) -> list[Record]:
    """Every sample of an Inspect log; targets and scores stay behind unread."""
    eval_ = value.get("eval") if isinstance(value.get("eval"), dict) else {}
    if value.get("status") != "success":
        log.warn(
            "RR648", f"the log's status is '{str(value.get('status'))[:20]}': sessions may be unfinished", "read their ends"
        )
    samples = value.get("samples")
    found: list[Record] = []
    for index, sample in enumerate(samples if isinstance(samples, list) else [], start=1):
        with log.record(1, f"sample {index}"):
            found.append(_sample(sample, eval_, log))
    return found


def _sample(sample: Any, eval_: Mapping[str, Any], log: Log) -> Record:
    if not isinstance(sample, dict) or not isinstance(sample.get("messages"), list):
        log.fault("RR642", "the sample has no list `messages`", "export the log again with samples")
    log.drop_keys(sample, _TAKEN, _LABELS)
    task = f"{eval_.get('task', log.stem)}-{sample.get('id')}"
    model = eval_.get("model")
    attachments = sample.get("attachments")
    reader = _Reader(log, attachments if isinstance(attachments, dict) else {})
    return Record(
        id=f"{task}-{model}-e{sample.get('epoch', 1)}" if isinstance(model, str) else f"{task}-e{sample.get('epoch', 1)}",
        task=task,
        messages=tuple(m for number, item in enumerate(sample["messages"], 1) for m in reader.message(item, number)),
        agent=model if isinstance(model, str) else None,
        model=model if isinstance(model, str) else None,
    )


class _Reader:
    """Messages of one sample, with long texts fetched back from its attachments."""

    def __init__(self, log: Log, attachments: Mapping[str, Any]) -> None:
        self.log, self.attachments = log, attachments

    def message(self, item: Any, number: int) -> Iterator[Message]:
        what = f"message {number}"
        if not isinstance(item, dict) or item.get("role") not in ("system", "user", "assistant", "tool"):
            self.log.fault("RR643", f"{what} is no object with a known `role`", "write system, user, assistant or tool")
        text = self.whole(text_of(item.get("content"), self.log, what))
        if item["role"] == "tool":
            id_ = item.get("tool_call_id")
            yield Message(role="result", text=text or _error(item), call_id=id_ if isinstance(id_, str) else None)
        elif item["role"] == "assistant":
            calls = item.get("tool_calls") or []
            yield Message(role="agent", text=text, calls=tuple(self.call(call, what) for call in _list(calls, self.log, what)))
        else:
            yield Message(role="system" if item["role"] == "system" else "user", text=text)

    def call(self, call: Any, what: str) -> Call:
        if not isinstance(call, dict) or not isinstance(call.get("function"), str) or not call["function"].strip():
            self.log.fault("RR644", f"a tool call of {what} names no function", "export the log again")
        id_, arguments = call.get("id"), call.get("arguments")
        if isinstance(arguments, dict):
            arguments = {key: self.whole(item) if isinstance(item, str) else item for key, item in arguments.items()}
        return Call(id=id_ if isinstance(id_, str) else None, name=call["function"], arguments=arguments)

    def whole(self, text: str) -> str:
        """A text that only refers to an attachment, as the attachment."""
        held = self.attachments.get(text.removeprefix(_REFERENCE)) if text.startswith(_REFERENCE) else None
        return held if isinstance(held, str) else text


def _error(item: Mapping[str, Any]) -> str:
    error = item.get("error")
    message = error.get("message") if isinstance(error, dict) else None
    return f"Error: {message}" if isinstance(message, str) else ""


def _list(value: Any, log: Log, what: str) -> list[Any]:
    if not isinstance(value, list):
        log.fault("RR644", f"`tool_calls` of {what} is no list", "export the log again")
    return value
