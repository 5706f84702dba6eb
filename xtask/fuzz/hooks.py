"""What the fuzzer needs to know of this API: who may call what, and which actions there are to meet.

It is loaded by schemathesis. `HOLDPOINT_FUZZ` holds the server's address and a token for each scope; with
`HOLDPOINT_FUZZ_CALLER=any` calls come from whomever, else from one whose scope is just the one that is needed.
"""

import json
import os
import re
import urllib.error
import urllib.request
import zlib

import schemathesis
from hypothesis import strategies as st

GIVEN = json.loads(os.environ["HOLDPOINT_FUZZ"])
ANY_CALLER = os.environ.get("HOLDPOINT_FUZZ_CALLER") == "any"
TOKENS = GIVEN["tokens"]
SCOPES = sorted(TOKENS)

KEY = re.compile("[0-9a-f]{64}")
KINDS = ["fuzz_mail", "fuzz_invoice", "fuzz_gate"]
RUN = "fuzz-run"


def call(method, path, scope, body):
    """An answer's body, or nothing where it was refused: what is there by then is there."""
    request = urllib.request.Request(
        f"{GIVEN['url']}/api/v1{path}",
        method=method,
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {TOKENS[scope]}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or "null")
    except urllib.error.HTTPError:
        return None


def seed():
    """An action in each state that a caller can bring about; their keys."""
    call("PUT", "/policies/fuzz_invoice", "admin", {"recovery": "verifiable", "verify_after_s": 0, "reason": "seed"})
    call("PUT", "/policies/fuzz_gate", "admin", {"approve_first": True, "reason": "seed"})
    keys = []
    for step, (kind, report, body) in enumerate(
        [
            ("fuzz_mail", None, None),
            ("fuzz_mail", "succeed", {"attempt": 1, "result": {"message": "<1@example.com>"}}),
            ("fuzz_mail", "fail", {"attempt": 1, "error": "connection lost"}),
            ("fuzz_mail", "fail", {"attempt": 1, "error": "refused", "effect": "none", "permanent": True}),
            ("fuzz_mail", "fail", {"attempt": 1, "error": "busy", "effect": "none"}),
            ("fuzz_invoice", "fail", {"attempt": 1, "error": "timed out"}),
            ("fuzz_gate", None, None),
        ]
    ):
        intent = {"run_id": RUN, "step": step, "kind": kind, "target": "ada@example.com", "payload_text": "Hello"}
        call("POST", "/actions/claim", "worker", intent)
        page = call("GET", f"/actions?run_id={RUN}&limit=200", "read", None)
        key = next(item["key"] for item in page["items"] if item["step"] == step)
        if report is not None:
            call("POST", f"/actions/{key}/{report}", "worker", body)
        keys.append(key)
    return keys


KEYS = seed()


@schemathesis.auth(refresh_interval=None)
class Scoped:
    """Whom a call comes from."""

    def get(self, case, context):
        needed = context.operation.definition.raw.get("security") or [{}]
        scope = (needed[0].get("bearer") or ["read"])[0]
        if scope == "person":
            # Any who acts for somebody will do. What a browser alone may do is refused to every token.
            scope = "operator"
        if ANY_CALLER:
            # The same call comes from the same caller, so that a failure can be found again.
            scope = SCOPES[zlib.crc32(repr((case.path_parameters, case.body)).encode()) % len(SCOPES)]
        return TOKENS[scope]

    def set(self, case, data, context):
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}


def known(parameters, key, kind):
    """Parameters that fit, changed to what is there."""
    changed = dict(parameters)
    if isinstance(changed.get("key"), str) and KEY.fullmatch(changed["key"]):
        changed["key"] = key
    if isinstance(changed.get("kind"), str) and re.fullmatch("[a-z][a-z0-9_.-]{0,63}", changed["kind"]):
        changed["kind"] = kind
    return changed


@schemathesis.hook
def before_generate_path_parameters(context, strategy):
    """Random keys meet nothing: half of the calls are about actions that are there."""
    there = st.tuples(strategy, st.sampled_from(KEYS), st.sampled_from(KINDS))
    return st.one_of(strategy, there.map(lambda drawn: known(*drawn) if isinstance(drawn[0], dict) else drawn[0]))


def likely(body, number):
    """A body that fits, with numbers that attempts and versions have. What does not fit stays as it is."""
    if not isinstance(body, dict):
        return body
    changed = dict(body)
    for name, most in (("attempt", 2**32 - 1), ("try", 2**32 - 1), ("version", 2**63 - 1)):
        value = changed.get(name)
        if type(value) is int and 0 <= value <= most:
            changed[name] = number
    return changed


@schemathesis.hook
def before_generate_body(context, strategy):
    there = st.tuples(strategy, st.integers(min_value=1, max_value=3))
    return st.one_of(strategy, there.map(lambda drawn: likely(*drawn)))


@schemathesis.hook
def before_call(context, case, kwargs):
    """Nobody waits for work: a wait that is allowed is none."""
    body = case.body
    if isinstance(body, dict) and type(body.get("wait_s")) is int and 0 < body["wait_s"] <= 60:
        case.body = {**body, "wait_s": 0}


@schemathesis.hook
def after_call(context, case, response):
    """A pause ends at once, or nothing would be granted from then on."""
    if response.status_code == 200 and case.path.endswith("/pause"):
        path = case.formatted_path.removeprefix("/api/v1").removesuffix("/pause")
        call("POST", f"{path}/resume", "operator", {"reason": "the fuzzer goes on"})
