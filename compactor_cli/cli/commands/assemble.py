"""`compactor assemble`: the final messages of a prompt, with the history compacted to the remaining tokens."""

from __future__ import annotations

from dataclasses import replace

import typer

from compactor_cli.cli import options
from compactor_cli.cli.files import clear_beside, write_bytes
from compactor_cli.cli.inputs import inputs_of
from compactor_cli.cli.outputs import check_outputs, find_files_read
from compactor_cli.cli.prompt import read_prompt
from compactor_cli.cli.session import Session, open_session
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import UsageError
from compactor_cli.model.message import system_tokens
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.make_plan import compile_patterns
from compactor_cli.prompt.assembly import Prompted, assemble_prompt
from compactor_cli.prompt.definition import Prompt, SegmentChoice
from compactor_cli.prompt.parse import schema_text
from compactor_cli.prompt.segments import choose_segments, size_parts
from compactor_cli.settings.frozen import frozen
from compactor_cli.views.compare_sources import survival_of


def _schema(on: bool) -> None:
    if on:
        typer.echo(schema_text(), nl=False)
        raise typer.Exit


@frozen(frozen=True, kw_only=True)
class AssembleOptions(options.SessionOptions):
    prompt: options.PromptOption
    total: options.TotalOption
    file: options.OneFileArgument = ""
    out: options.OutOption = "-"
    context: options.ContextOption = None
    dry_run: options.DryRunOption = False
    report: options.ReportOption = ""
    schema: bool = options.option("", "Print the JSON schema of prompt.yaml.", False, is_eager=True, callback=_schema)


@takes_options("assemble")
def assemble(args: AssembleOptions, overrides: Layer) -> None:
    """Build the messages of a prompt: the parts that prompt.yaml describes, with the history between them.

    The order is system prompt, identity, actions, system insight, history, task, current message. The
    history is compacted to the tokens that the parts and a margin of 100 tokens leave of the total. The output has
    the format of FILE and fits, or nothing is written and the exit code is 4.

    \b
    Examples:
      compactor assemble session.jsonl --prompt prompt.yaml --total 8000 -o prompt.jsonl
      compactor assemble session.jsonl --prompt prompt.yaml --total 8000 --dry-run
      compactor assemble session.jsonl --prompt prompt.yaml --total 8000 --context error_occurred=true
      compactor assemble --schema > prompt.schema.json

    \b
    A prompt.yaml gives each part a size, a text or a file, and names segments:
      system_prompt: {file: system.md}
      task_prompt: "Fix the rounding bug."
      segments:
        - {id: error-handling, file: errors.md, when: {error_occurred: true}}
    """
    if args.json and not args.dry_run and args.out == "-":
        raise UsageError("--json prints the report on standard output: write the prompt elsewhere with -o")
    session = open_session(args, overrides, profile=True)
    session.settings = replace(session.settings, target_tokens=args.total, target_ratio=None)
    compile_patterns(session.settings.keep)
    session.warn_unused(overrides)
    session.dry = args.dry_run
    prompt, prompt_files = read_prompt(args.prompt, args.context or ())
    inputs = inputs_of(session, [args.file], args)
    file = inputs[0].path
    if len(inputs) > 1:
        raise UsageError(f"{args.file} holds {len(inputs):,} sessions, but a prompt has one history; name one session")
    read = find_files_read(session.configured, [file], dict.fromkeys(prompt_files, "prompt file"))
    check_outputs(read, {"-o": [] if args.dry_run else [args.out], "--report": [args.report]})
    if not args.dry_run:
        clear_beside(args.out)
    with session.show_progress(1):
        source = session.load(file)
    session.print_reading_notes(source)
    session.warn_without_match(source)
    if len(source.transcripts) > 1:
        count = len(source.transcripts)
        raise UsageError(f"{file} holds {count} conversations, but a prompt has one history; split the file")
    choices = choose_segments(prompt, session.counter.count)
    with session.show_progress(1) as progress:
        progress.say("assembling")
        transcript, counter = source.transcripts[0], session.counter
        system = system_tokens(transcript.messages)
        parts = size_parts(prompt, choices, counter.count, counter.per_message, system)
        tools = session.tools(transcript, session.settings)
        result = assemble_prompt(transcript, parts, tools, session.settings, args.total)
    data = source.joints[0] + result.data + source.joints[-1]
    if not args.dry_run:
        write_bytes(args.out, data, inputs=[file])
    _report_result(session, source, prompt, choices, result, data, args)


def _report_result(
    session: Session,
    source: Source,
    prompt: Prompt,
    choices: tuple[SegmentChoice, ...],
    result: Prompted,
    data: bytes,
    args: AssembleOptions,
) -> None:
    """Write the report for scripts and the tables for people; with --dry-run, the tables go to standard output."""
    from compactor_cli.render import jsons, prompts, tables
    from compactor_cli.render.remarks import model_json, use_line

    use = session.model_use()
    for warning in (*result.history.warnings, *(use.warnings if use else ())):
        session.warn(warning)
    if args.json or args.report:
        value = prompts.assemble_json(
            source,
            session.counter.name,
            args.out,
            data,
            result,
            prompts.segments_json(prompt, choices),
            survival_of([result.history]),
            session.warnings,
        )
        if use:
            value |= model_json(use)
        if args.dry_run:
            value["plan"] = jsons.plan_json([result.history])
        if args.report:
            write_bytes(args.report, (jsons.dumps(value) + "\n").encode(), inputs=[source.path])
        if args.json:
            print_json(value)
    shows_tables = args.dry_run and not args.json
    console = session.out if shows_tables else session.err
    if console.quiet:
        return
    tables.print_heading(console, source, session.counter.name)
    console.print(prompts.parts_table(console, result))
    if choices:
        console.print(prompts.segments_table(console, prompt, choices))
    console.print(prompts.history_line(result))
    if result.history.changed:
        console.print(tables.disposition_line([result.history]))
    for note in result.history.repairs:
        console.print(f"repaired: message {note.index}: {note.kind}: {note.detail}", soft_wrap=True)
    if use:
        console.print(use_line(use), soft_wrap=True)
    if not args.dry_run:
        session.print_written(args.out)
