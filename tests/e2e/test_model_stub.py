import json
import urllib.error
import urllib.request

import pytest
from model_stub import Model


def post(url, **body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=5) as answer:
        return answer.read().decode()


def test_model_answers_side_requests_token_counts_and_unknown_paths():
    with Model("first") as stub:
        url = stub.url + "/v1/messages"
        ask = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
        assert "title" in json.loads(json.loads(post(url, **ask))["content"][0]["text"])
        assert json.loads(post(url + "/count_tokens?beta=true", **ask))["input_tokens"] > 0
        whole = json.loads(post(url, tools=[{"name": "Bash"}], **ask))
        assert (whole["content"][0]["text"], whole["stop_reason"]) == ("first", "end_turn")
        assert "event: message_stop" in post(url, tools=[{"name": "Bash"}], stream=True, **ask)
        with pytest.raises(urllib.error.HTTPError, match="404") as unknown:
            post(stub.url + "/v1/other")
        unknown.value.close()
        assert [request.kind for request in stub.requests] == ["side", "count", "main", "main"]


def test_step_that_raises_is_raised_again_on_leaving():
    def wrong(request):
        raise KeyError("script")

    with pytest.raises(KeyError, match="script"), Model(wrong) as stub:
        ask = {"model": "m", "tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": "hello"}]}
        with pytest.raises(urllib.error.HTTPError, match="403") as refused:
            post(stub.url + "/v1/messages", **ask)
        refused.value.close()
