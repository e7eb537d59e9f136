"""`compactor textconv`: a transcript as text, for `git diff`."""

from __future__ import annotations

from typing import Annotated

import typer

from compactor_cli.cli import options
from compactor_cli.cli.configured import Configured
from compactor_cli.cli.files import write_bytes
from compactor_cli.cli.session import make_session
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import CompactorError
from compactor_cli.model.content import read_all
from compactor_cli.settings import ReadingSettings, Settings
from compactor_cli.settings.frozen import frozen


@frozen(frozen=True, kw_only=True)
class TextconvOptions(options.RunOptions):
    file: Annotated[str, typer.Argument(metavar="FILE", help="Transcript, as git names it; - is standard input.")]


@takes_options("textconv")
def textconv(args: TextconvOptions, overrides: Layer) -> None:
    """Print a transcript as text for people to read and git to compare: each part of a message under its role.

    Numbers, counts, ids and times are left out, so that a diff shows only changes in what was said. A file that
    is no transcript is printed as it is, with a note on standard error, so that git can go on.

    \b
    Examples:
      compactor textconv session.jsonl | less
      git config diff.transcript.textconv "compactor textconv"
      echo "*.jsonl diff=transcript" >> .gitattributes
    """
    from compactor_cli.render.plain import plain_text

    format_setting = overrides.get("format")
    # ignore settings files and the environment, so that a file's text is the same in every checkout
    reading = ReadingSettings(
        tokenizer="chars", format=format_setting.value if format_setting else "", skip_damaged=True
    )
    session = make_session(Configured(Settings(), reading), quiet=args.quiet)
    data = session.read_bytes(args.file)
    try:
        text = plain_text(session.read(data, args.file)).encode("utf-8", "replace")
    except CompactorError as error:
        session.warn(f"printed unchanged: {error}")
        text = read_all(data)
    write_bytes("-", text)
