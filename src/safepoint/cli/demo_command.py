"""demo: play the whole story through the real hook processes and print what a user would see."""

from __future__ import annotations

import shutil

import click

from .render import show


@click.command()
@click.option("--folder", default="", type=click.Path(), help="Folder to make it in. Default: the system's.")
@click.option("--remove", is_flag=True, help="Remove the scratch folder afterwards.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def demo(folder: str, remove: bool, as_json: bool) -> None:
    """Play the whole story in a scratch repository: work, Yellow, Red, the files, a new chat that resumes."""
    from .. import demo as story

    scratch = story.scratch_folder(folder)
    seen = story.play(scratch, (lambda _text: None) if as_json else click.echo)
    if remove:
        shutil.rmtree(scratch)
    show(seen, "" if remove else story.look_around(seen["project"]), as_json)
