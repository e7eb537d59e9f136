"""The extension for pi and the plugin for opencode in docs/hooks.md, run by node with what the agents give them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.builders import ROOT, clean_environment, run_process
from tests.hooks.sessions import RULE, working_session
from tests.program import write_program

BLOCKS = re.findall(r"```js\n(.*?)```", (ROOT / "docs" / "hooks.md").read_text(encoding="utf-8"), re.DOTALL)
pytestmark = [
    pytest.mark.one_test_in(2),
    pytest.mark.skipif(shutil.which("node") is None or os.name == "nt", reason="needs node and a shell"),
]

PI = """
import extension from "./compactor.mjs";
const handlers = {};
extension({ on: (name, f) => (handlers[name] = f), sendMessage: (m) => console.log(JSON.stringify(m)) });
const ctx = { cwd: "/tmp", sessionManager: { getSessionFile: () => process.argv[2] } };
await handlers.session_before_compact({}, ctx);
await handlers.session_compact({}, ctx);
"""
OPENCODE = """
import { Compactor } from "./compactor.mjs";
const output = { context: [] };
const hooks = await Compactor({ directory: "." });
await hooks["experimental.session.compacting"]({ sessionID: "ses_1" }, output);
console.log(JSON.stringify(output));
"""


@pytest.fixture
def node(tmp_path):
    """Run a module with a block of the page beside it, and `compactor` and `opencode` where programs are."""
    programs = tmp_path / "bin"
    write_program(programs)

    def runner(block: str, module: str, *args: object, opencode: str = ""):
        (programs / "opencode").write_text(f"#!/bin/sh\n{opencode}\n")
        (programs / "opencode").chmod(0o755)
        (tmp_path / "compactor.mjs").write_text(block)
        (tmp_path / "run.mjs").write_text(module)
        env = clean_environment(
            COMPACTOR_DATABASE_URL=str(tmp_path / "kept.sqlite3"),
            PATH=f"{programs}{os.pathsep}{os.environ['PATH']}",
            TMPDIR=str(tmp_path),
        )
        command = ["node", "run.mjs", *map(str, args)]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=True, text=True)
        kept = run_process("restore", "--list", "--json", COMPACTOR_DATABASE_URL=str(tmp_path / "kept.sqlite3"))
        return json.loads(done.stdout), [one["strategy"] for one in kept.json["rounds"]] if kept.stdout else []

    return runner


def test_the_extension_for_pi_archives_and_restores(node, tmp_path):
    session = tmp_path / "session.jsonl"
    session.write_bytes(working_session().data)
    sent, kept = node(BLOCKS[0], PI, session)
    assert RULE in sent["content"]
    assert sent["customType"] == "compactor"
    assert kept == ["agent"]


def test_the_plugin_for_opencode_archives_and_adds_to_the_summary(node, tmp_path):
    info = {"id": "ses_1", "directory": "/tmp", "title": "x", "version": "1.0", "time": {"created": 1, "updated": 2}}
    texts = [("user", f"Mend the report. {RULE}"), ("assistant", "I will.")]
    messages = [
        {
            "info": {"id": f"msg_{at}", "sessionID": "ses_1", "role": role, "time": {"created": at}},
            "parts": [
                {"id": f"prt_{at}", "messageID": f"msg_{at}", "sessionID": "ses_1", "type": "text", "text": text}
            ],
        }
        for at, (role, text) in enumerate(texts)
    ]
    export = tmp_path / "export.json"
    export.write_text(json.dumps({"info": info, "messages": messages}))
    output, kept = node(BLOCKS[1], OPENCODE, opencode=f'[ "$1 $2" = "export ses_1" ] && cat "{export}"')
    assert RULE in output["context"][0]
    assert kept == ["agent"]
    assert not list(Path(tmp_path).glob("compactor-*")), "nothing of the session is left behind"


def test_the_plugin_leaves_the_agent_alone_where_the_session_cannot_be_had(node):
    output, kept = node(BLOCKS[1], OPENCODE, opencode="exit 1")
    assert (output, kept) == ({"context": []}, [])
