"""The terminal browser: shows messages with what happens to them, and lets a person decide about them.

`view_state.py`, `rows.py`, `output.py` and `labels.py` are pure. The other modules display their results with Textual
and are imported only when the command runs.
"""
