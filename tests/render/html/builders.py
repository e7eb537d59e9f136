"""Pages written by the command line, and what they contain."""

from __future__ import annotations

import base64
import hashlib
import json
from html.parser import HTMLParser

from tests.builders import assistant, call, calling_message, jsonl, prose, result, system, user

NASTY = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"><!--"
RULE = "Never touch the folder vendor/."


def session(exchanges=12):
    """Return a session in which files are read and edited. Its texts look like markup."""
    messages = [system(), user(f"Fix the tests of the parser. {RULE} {NASTY}")]
    for at in range(exchanges):
        path = json.dumps({"path": f"src/part{at % 3}.py"})
        messages += [
            calling_message(call(f"c{at}", name="read_file", arguments=path), content=f"I read part {at}."),
            result(f"c{at}", f"{NASTY}\nneedle{at}\n" + prose(f"part {at}", 30)),
            assistant(f"Part {at} is understood. " + prose(f"topic {at}")),
        ]
    return jsonl(*messages, user("Thank you; now finish it."))


class Page(HTMLParser):
    """A parsed page: its elements, scripts and styles."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.text, self.elements, self.inside, self.scripts, self.styles = text, [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.inside = [tag, dict(attrs), ""]

    def handle_data(self, data):
        if self.inside:
            self.inside[2] += data

    def handle_endtag(self, tag):
        if self.inside and tag == self.inside[0]:
            (self.scripts if tag == "script" else self.styles).append((self.inside[1], self.inside[2]))
            self.inside = []

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def data(self):
        return json.loads(next(text for attributes, text in self.scripts if attributes.get("id") == "data"))

    @property
    def policy(self):
        content = next(one["content"] for one in self.all("meta") if one.get("http-equiv"))
        return dict(part.strip().split(" ", 1) for part in content.split(";"))


def hash_of(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
