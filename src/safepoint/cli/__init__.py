"""The command line. Commands are imported when they are called, so that `safepoint --help` stays quick."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import time
import traceback
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, NoReturn

import click

from .. import called_as
from ..errors import SafepointError
from .groups import Group


class Entry(NamedTuple):
    module: str  # inside this package; the command is the attribute with the command's name
    help: str


COMMANDS = {
    "install": Entry("install_commands", "Put the hooks into a repository."),
    "uninstall": Entry("install_commands", "Take the hooks out again."),
    "generate": Entry("install_commands", "Compile manifest.yaml to what the hooks read."),
    "doctor": Entry("doctor_command", "Check an installation, and say what to do."),
    "prune": Entry("prune_command", "Take files of old sessions out of the way."),
    "demo": Entry("demo_command", "Play the whole story in a scratch repository."),
    "run": Entry("run_command", "Work on a task in sessions that hand over to each other."),
    "status": Entry("session_commands", "Show the sessions and how full they are."),
    "explain": Entry("session_commands", "Say why the last decision was taken."),
    "simulate": Entry("simulate_command", "Say where Yellow and Red would have fallen in a chat."),
    "statusline": Entry("statusline_command", "Print the status line: how full the context is."),
    "resume": Entry("session_commands", "List, pick or dismiss pending handoffs."),
    "extend": Entry("session_commands", "Let a session go on past Red."),
    "open": Entry("sync_commands", "Open a new chat for the newest handoff."),
    "restore": Entry("sync_commands", "Bring uncommitted work back."),
    "push": Entry("sync_commands", "Send a campaign to another machine, by git."),
    "pull": Entry("sync_commands", "Go on here with a campaign of another machine."),
    "fetch": Entry("sync_commands", "Look which campaigns the remote has."),
    "step": Entry("workflow_commands", "Begin, advance and close the steps of a campaign."),
    "campaign": Entry("campaign_commands", "Work that spans several chats, and its task report."),
    "checkpoint": Entry("campaign_commands", "How far a heavy skill has come."),
    "todo": Entry("todo_commands", "Show and change a chat's todo list."),
    "mcp": Entry("todo_commands", "Serve the todo tool over stdio (MCP)."),
    "validate": Entry("session_commands", "Check files that Safepoint reads or writes."),
    "replay": Entry("replay_commands", "Run the real hook on a saved payload."),
    "hook": Entry("replay_commands", "Run one hook on a payload from stdin."),
}


class LazyGroup(Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name, entry in COMMANDS.items() if find_spec(f"{__name__}.{entry.module}")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{__name__}.{COMMANDS[cmd_name].module}")
        command = getattr(module, cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].help) for name in self.list_commands(ctx)])


def _print_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        click.echo(f"safepoint {version('safepoint')}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version)
def main() -> None:
    """Stop a coding agent at a safepoint before its context is full, and hand the next chat on from there."""


def entry(arguments: list[str] | None = None) -> NoReturn:
    """Run a command: 0 well, 1 an expected failure, 2 a wrong command line, 130 interrupted, 3 a bug."""
    given = sys.argv[1:] if arguments is None else arguments
    called_as.remember(sys.argv[0], os.environ)
    try:
        result = main.main(given, prog_name=called_as.name(), standalone_mode=False)
        sys.stdout.flush()
        code = result if isinstance(result, int) else 0
    except SafepointError as error:
        code = _fail(str(error), given)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("\ninterrupted", err=True)
        code = 130
    except BrokenPipeError:  # the reader has seen enough; click, too, ends with 1 then
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except Exception as error:
        code = _report_bug(error, given)
    sys.exit(code)


def _fail(message: str, given: list[str]) -> int:
    if _wants_json(given):
        from .render import show_error

        show_error(_command(given), message)
    else:
        click.echo(f"safepoint: {message}", err=True)
    return 1


def _wants_json(given: list[str]) -> bool:
    """What stands behind `--` is not for us: `run` hands it on to the agent."""
    return "--json" in given[: given.index("--") if "--" in given else None]


def _command(given: list[str]) -> str:
    """The command that was called, with its group: `campaign list`."""
    names: list[str] = []
    group: click.Command | None = main
    for word in given:
        group = group.get_command(click.Context(group), word) if isinstance(group, click.Group) else None
        if group is None:
            break
        names.append(word)
    return " ".join(names)


def _report_bug(error: Exception, given: list[str]) -> int:
    """Keep the traceback in a file; the user is told what it is and where."""
    text = (
        f"safepoint {' '.join(given)}\nPython {sys.version}\n\n{''.join(traceback.format_exception(error))}"
    )
    name = time.strftime("error-%Y%m%d-%H%M%S") + f"-{os.getpid()}.log"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "safepoint"
    message = f"this is a bug: {type(error).__name__}: {error}".encode("utf-8", "backslashreplace").decode()
    click.echo(f"safepoint: {message}", err=True)
    if _wants_json(given):
        from .render import show_error

        show_error(_command(given), message)
    for folder in (cache, Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError:
            continue
        click.echo(f"The traceback is in {folder / name}", err=True)
        return 3
    click.echo(text, err=True)
    return 3
