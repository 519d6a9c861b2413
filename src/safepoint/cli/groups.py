"""Groups of commands that say which command was probably meant by a misspelt one."""

from __future__ import annotations

import click

from ..unknown_name import did_you_mean


class Group(click.Group):
    """As click's own, whose later versions do this too, but not for commands that are loaded when called."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        is_option = name.startswith("-")  # click tells of it
        if not (is_option or ctx.resilient_parsing) and self.get_command(ctx, name) is None:
            ctx.fail(f"there is no command {name!r}{did_you_mean(name, self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)
