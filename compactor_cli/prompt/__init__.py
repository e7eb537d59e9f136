"""`prompt.yaml`: what stands in a prompt besides the conversation (seed 000).

`document.py` reads YAML with its lines, `parse.py` checks it against `schema.json` and makes a `Prompt`,
`segments.py` chooses segments, `sizes.py` says what each part takes. Nothing here touches files: the
texts of files come from a function that is passed in.
"""
