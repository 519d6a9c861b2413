"""A pending handoff as the text that a new chat is shown."""

from __future__ import annotations

from . import resume_packing, resume_text
from .files import read_bytes
from .stores import checkpoints, projections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook import Hook
    from .shapes import RedCheckpoint, ResumePoint
    from .stores.pending import Offered

NOTES_BYTES = 4096
OTHERS_BYTES = 512  # kept free beside the handoff for the lines about others
MALFORMED = (ValueError, LookupError, TypeError, AttributeError)


def resume_parts(hook: Hook, item: Offered, unread: list[str] | None = None) -> list[tuple[str, str]]:
    """The handoff as context parts ("resume", and "rest" for the next event); [] where it is foreign, or its
    checkpoint cannot be read: `unread` gets the path of that."""
    try:
        checkpoint = checkpoints.read(hook.paths.absolute(item.handoff["checkpoint"]))
    except (checkpoints.CheckpointError, KeyError, TypeError) as error:
        from .faults import log

        log(hook, "checkpoint", error)
        if unread is not None:
            unread.append(str(item.handoff.get("checkpoint", item.key)))
        return []
    from .resume_state import newest_point

    try:
        return _parts(hook, item, checkpoint, newest_point(hook, checkpoint))
    except MALFORMED:  # a projection may be anything; the checkpoint is sealed
        return _parts(hook, item, checkpoint, checkpoint["resume_point"])


def _parts(
    hook: Hook, item: Offered, checkpoint: RedCheckpoint, point: ResumePoint
) -> list[tuple[str, str]]:
    from .resume_state import look_again

    now = look_again(hook, checkpoint, point)
    if now is None:
        return []
    point, settings = now.point, hook.settings
    items = resume_text.build(
        point,
        language=settings["language"],
        constraints=settings["handoff"]["recovery_constraints"],
        handoff=item.handoff["handoff"],
        checkpoint=item.handoff["checkpoint"],
        resume_point_path=hook.paths.relative(
            projections.resume_point_of(hook.paths, point["campaign_slug"], point["orig_session_id"])
        ),
        report=_report(hook, point["campaign_slug"]),
        envelope=_envelope(hook, point["campaign_slug"]),
        notes_text=_notes(hook, item.key),
        freshness=now.freshness,
        plan_line=now.plan_line,
        doubtful=now.doubtful,
    )
    inject, shared = settings["inject"], settings["shared_events"].get(hook.event.host)
    room = inject["shared_max_bytes" if shared else "max_bytes"] - OTHERS_BYTES
    first, rest = resume_packing.pack(items, max(1024, room))
    return [("resume", first)] + ([("rest", rest)] if rest else [])


def _report(hook: Hook, slug: str) -> str:
    import os

    name = f"{hook.settings['campaign']['report_dir']}/{slug}.md"
    return name if os.path.isfile(hook.paths.absolute(name)) else ""


def _envelope(hook: Hook, slug: str) -> str:
    from .stores import envelopes

    step = envelopes.open_step(hook.paths, hook.settings, slug)
    return hook.paths.relative(step.path) if step else ""


def _notes(hook: Hook, key: str) -> str:
    from .redact import capture

    try:
        data = read_bytes(hook.paths.notes(key), NOTES_BYTES * 4)
    except OSError:
        return ""
    return capture(data.decode("utf-8", "replace"), NOTES_BYTES)
