"""`prompt.yaml`: the parts of a prompt besides the conversation (seed 000).

`parse.py` reads the YAML, checks it against `schema.json` and makes a `Prompt`. `segments.py` chooses segments and
computes the size of each part. Nothing here accesses files: a function passed in supplies their texts.
"""
