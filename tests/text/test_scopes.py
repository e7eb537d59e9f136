"""The definitions and headings around the lines of a file, in the languages that agents read most."""

from __future__ import annotations

import pytest

from compactor_cli.text.scopes import Scopes

PYTHON = """\
import os

class Store:
    def __init__(
        self,
        path: str,
    ) -> None:
        self.path = path
# a comment at the margin
        self.open = False

    async def load(self) -> dict:
        with open(self.path) as file:
            return parse(file)

ROOT = os.getcwd()
"""
GO = """\
    12→type Store interface {
    13→	Load() error
    14→}
    15→
    16→// Load reads it.
    17→func (s *FileStore) Load() error {
    18→	for _, path := range s.paths {
    19→		if err := s.read(path); err != nil {
    20→			return err
    21→		}
    22→	}
    23→}
"""
TYPESCRIPT = """\
export class Cart extends Base {
\tprivate total(items: Item[]): number {
\t\tif (items.length > 0) {
\t\t\treturn sum(items);
\t\t}
\t}
}

export const useCart = (id: string) => {
\tconst cart = load(id);
};

describe('Cart', () => {
\tit('sums', () => {
\t\texpect(cart.total).toBe(3);
"""
PADDED = "10{0}class Store:\n11{0}    def load(self):\n12{0}        x = 1\n13{0}\n14{0}        return x\n"
SEARCH = """\
src/a.py:12: the first words of it
src/b.py-7- the next words
"""
RUST = """\
 101\timpl Parser {
 102\t    pub(crate) fn parse(&mut self) -> Result<Ast> {
 103\t        let token = self.next()?;
"""
C = """\
static int read_block(struct file *f, char *buf) {
#ifdef HAVE_MMAP
\tmap = mmap(f);
#endif
\treturn copy(buf);
}
"""
YAML = """\
services:
  web:
    image: nginx
  db:
    image: postgres
"""
DIFF = """\
@@ -1,4 +1,4 @@
 def pay(order):
-    charge(order.total)
+    charge(order.total, order.currency)
"""
MARKDOWN = """\
    1→# Cart
    2→
    3→How carts are kept.
    4→
    5→## Setup
    6→
    7→# no heading, but a comment
    8→Run it once.
    9→
   10→### In a container
   11→
   12→Mount the folder.
   13→
   14→## Use
   15→
   16→Add items.
"""
SQL = """\
CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY
);
"""


def around(text: str, shown: str) -> list[str]:
    """Return the first lines of what a line is in, the innermost first."""
    scopes, found = Scopes(text), []
    at = scopes.scope_start(text.index(shown))
    while at >= 0:
        found.append(text[at:].partition("\n")[0])
        at = scopes.scope_start(at)
    return found


@pytest.mark.parametrize(
    ("text", "shown", "expected"),
    [
        (PYTHON, "self.path = path", ["def __init__(", "class Store:"]),
        (PYTHON, "self.open", ["def __init__(", "class Store:"]),
        (PYTHON, "return parse", ["async def load(self) -> dict:", "class Store:"]),
        (PYTHON, "ROOT", []),
        (GO, "Load() error", ["type Store interface {"]),
        (GO, "// Load", ["func (s *FileStore) Load() error {"]),
        (GO, "FileStore", ["func (s *FileStore) Load() error {"]),
        (GO, "\t\t\treturn err", ["func (s *FileStore) Load() error {"]),
        (TYPESCRIPT, "return sum", ["private total(items: Item[]): number {", "export class Cart extends Base {"]),
        (TYPESCRIPT, "load(id)", ["export const useCart = (id: string) => {"]),
        (TYPESCRIPT, "toBe(3)", ["it('sums', () => {", "describe('Cart', () => {"]),
        (SEARCH, "of it", ["src/a.py:12: the first words of it"]),
        (RUST, "let token", ["pub(crate) fn parse(&mut self) -> Result<Ast> {", "impl Parser {"]),
        (C, "return copy", ["static int read_block(struct file *f, char *buf) {"]),
        (YAML, "postgres", ["db:", "services:"]),
        (DIFF, "charge(order.total, ", ["def pay(order):"]),
        (SQL, "id INTEGER", ["CREATE TABLE IF NOT EXISTS orders ("]),
        (MARKDOWN, "How carts", ["# Cart"]),
        (MARKDOWN, "Run it", ["## Setup", "# Cart"]),
        (MARKDOWN, "Mount", ["### In a container", "## Setup", "# Cart"]),
        (MARKDOWN, "Add items", ["## Use", "# Cart"]),
        (PADDED.format(":"), "return x", ["def load(self):", "class Store:"]),
        (PADDED.format("→"), "return x", ["def load(self):", "class Store:"]),
        (PADDED.format("\t"), "return x", ["def load(self):", "class Store:"]),
        ("10→class A:\n11→    def f(self):\n12→        x\n90→        y of another\n", "y of", []),
        ("10:class A:\n11:    def f(self):\n57:        return self.total", "return", []),
        ("def f():\n    a\n--\n    b of another\n", "b of", []),
        ("def f():\n    a\n…\n    b of another\n", "b of", []),
        (
            "class A extends B\n{\n    public function foo($x)\n    {\n        return 1;\n",
            "return",
            ["public function foo($x)", "class A extends B"],
        ),
        (
            "public class Cart\n{\n    public int Total(int n)\n    {\n        return n;\n",
            "return",
            ["public int Total(int n)", "public class Cart"],
        ),
        ("int total(int n)\n{\n\treturn n;\n}\n", "return", ["int total(int n)"]),
        ("func run() {\n\tmu.Lock()\n\tdefer func() {\n\t\tmu.Unlock()\n\t}()\n", "mu.Unlock", ["func run() {"]),
        ("type checking fails\n    here\n", "here", []),
        ("describe 'cart' do\n  it 'sums' do\n    expect(1)\n", "expect", ["it 'sums' do", "describe 'cart' do"]),
        ("if (ready) {\n    go();\n}\n", "go", []),
        ("for x in y:\n    use(x)\nelse:\n    stop()\n", "stop", []),
        ("1470:\n1471:    value = 3\n1472:\n", "value", []),
    ],
)
def test_around_a_line_stands_what_it_is_in(text: str, shown: str, expected: list[str]) -> None:
    assert around(text, shown) == expected
    assert around(text.replace("\n", "\r\n"), shown) == [f"{line}\r" for line in expected]


@pytest.mark.parametrize(
    "text",
    [
        " " * 300_000,
        "\t- " * 100_000,
        "f(" * 150_000,
        "a b " * 75_000 + "{",
        "const a" + "=(" * 150_000,
        "create " * 40_000,
        "export " * 40_000,
        "\n" * 300_000,
        "#" * 300_000,
        "a." * 150_000,
        "a/b-" * 75_000,
        "src/" + "a" * 300_000,
        "# a\n" * 50_000,
    ],
)
def test_long_odd_lines_end_what_looks_at_them(text: str) -> None:
    """A pattern that tries a long line again from each of its places would look at it for hours."""
    assert around(f"def first():\n{text}\n    last", "last") in (["def first():"], ["# a"], [])
