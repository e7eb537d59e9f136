"""The terminal browser: messages with what becomes of them, and decisions on them.

`state.py`, `rows.py`, `filters.py`, `output.py`, `lines.py` and `words.py` are pure. The rest is what Textual shows of
them, and is imported only when the command runs.
"""
