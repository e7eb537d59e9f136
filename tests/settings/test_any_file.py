"""Any file of settings and comments: after each change the other values and all comments are there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.configuration.checked_values import notation_of
from compactor_cli.configuration.editing import with_value, without_key
from compactor_cli.configuration.keys import keys, sections
from compactor_cli.configuration.layers import layer_of
from compactor_cli.configuration.settings_files import SettingsFile, parse_file, section_of

KEYS = [key for key in keys().values() if key.default is not None]
NAMES = ("compactor.toml", "compactor.yaml", "pyproject.toml")


class Page:
    """Lines of a file, each comment with a number of its own."""

    def __init__(self, yaml):
        self.yaml, self.lines, self.comments = yaml, [], 0

    def comment(self):
        self.comments += 1
        return f"#c{self.comments}"

    def setting(self, key, indent, layout):
        if layout == "off":
            self.lines.append(
                f"{indent}#{key.leaf}{': ' if self.yaml else ' = '}{notation_of(key.default)} {self.comment()}"
            )
        elif layout == "tall" and key.many and key.default:
            items = [notation_of(item) for item in key.default]
            if self.yaml:
                self.lines += [f"{indent}{key.leaf}: {self.comment()}", *(f"{indent}- {item}" for item in items)]
            else:
                self.lines += [f"{key.leaf} = [", *(f"  {item}," for item in items), f"] {self.comment()}"]
        else:
            self.lines.append(
                f"{indent}{key.leaf}{': ' if self.yaml else ' = '}{notation_of(key.default)}  {self.comment()}"
            )


@st.composite
def files(draw):
    file = SettingsFile("file", Path(draw(st.sampled_from(NAMES))))
    page, indent = Page(file.is_yaml), " " * draw(st.sampled_from((2, 4)))
    if file.section:
        page.lines += [f"[project] {page.comment()}", 'name = "x"', ""]
    for section in ("", *draw(st.lists(st.sampled_from(sections()), unique=True, max_size=3))):
        table = ".".join(filter(None, (*file.section, section)))
        if table:
            page.lines += [
                page.comment(),
                f"{section}: {page.comment()}" if page.yaml else f"[{table}] {page.comment()}",
            ]
        own = [key for key in KEYS if key.section == section]
        for key in draw(st.lists(st.sampled_from(own), unique=True, max_size=3)):
            page.setting(key, indent if page.yaml and section else "", draw(st.sampled_from(("on", "off", "tall"))))
            page.lines += draw(st.sampled_from(([], [""], [page.comment()])))
    ending = draw(st.sampled_from(("\n", "\r\n")))
    return file, ending.join([*page.lines, ""])


def values(file, text):
    return {
        name: entry.value for name, entry in layer_of(section_of(file, parse_file(file, text)), file.origin).items()
    }


def comments(text):
    return Counter(re.findall(r"#c\d+", text))


@given(files(), st.lists(st.sampled_from(KEYS), min_size=1, max_size=3))
def test_a_change_is_the_only_change(given_file, chosen):
    file, text = given_file
    for key in chosen:
        before = values(file, text)
        changed = with_value(file, text, key, key.default)
        assert values(file, changed) == {**before, key.name: key.default}
        assert comments(changed) == comments(text)
        shorter = without_key(file, changed, key.name)
        assert values(file, shorter) == {name: value for name, value in before.items() if name != key.name}
        lost = comments(changed) - comments(shorter)
        assert sum(lost.values()) <= 1  # the one behind the value
        text = changed
