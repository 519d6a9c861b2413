"""Handoffs, what a new chat is told of them, and the recovery plan, in English."""

from __future__ import annotations

MESSAGES = {
    # --- handing over ---
    "resume_reads": "The state that this chat goes on from is in {paths}.",
    "resume_done": (
        'The items under "Completed work" below are done already, and there is no need to do them again.'
    ),
    "resume_rest": "Rest of the handoff from {where}:",
    "resume_left_out": "Not in this message for want of room: {names}. All of it is in {where}",
    "fresh_fresh": "The work tree is as it was when the handoff was written.",
    "fresh_stale": "The work tree has changed since the handoff was written: {changes}",
    "fresh_unknown": (
        "Whether the work tree has changed since the handoff was written is not known ({changes})."
    ),
    "fresh_foreign": "The handoff was written in another repository.",
    "doubt_changed": "changed since: {path}",
    "doubt_gone": "gone: {path}",
    "doubt_commit": "gone: HEAD does not contain the commit it was built on",
    "doubt_history": "whether commits since then touch it is not known",
    # --- the recovery plan, one line ---
    "plan_redispatch_step": (
        "Plan (redispatch_step): step={step} is not complete; it goes on at {where}, with the same inputs"
        " ({inputs}). Envelope: {envelope}."
    ),
    "plan_generate_envelope": (
        "Plan (generate_envelope): step={step} was open and has no envelope; `safepoint step start {step}`"
        " makes one, then the step goes on at {where}, with the inputs {inputs}."
    ),
    "plan_resume_worker": (
        "Plan (resume_worker): in step={step} a subagent was broken off: {workers}. Its work goes on first;"
        " then the step at {where}, with the same inputs ({inputs})."
    ),
    "plan_resume_worker_no_step": (
        "Plan (resume_worker): a subagent of no step was broken off: {workers}. Its work goes on first."
    ),
    "plan_continue": "Plan (continue): no step is open; the next action comes next.",
    "plan_nothing": "Plan (nothing): step={step} is {status}; nothing of it is left to do.",
    "plan_nothing_no_step": (
        "Plan (nothing): no step is begun and no chat was cut off; `safepoint step start 1` begins one."
    ),
    "plan_ask_user": "Plan (ask_user): step={step} is for a person to decide on ({why}: {question}).",
    "plan_reports": "Subagents that ended meanwhile, their reports unread: {paths}.",
    "plan_lost": "Subagents that were running and left nothing: {names}.",
    "plan_checkpoint": "The skill {skill} stands at {phase}; checkpoint: {path}.",
    "plan_start": "its beginning",
    "offered_others": (
        "Other handoffs in this folder, not shown here:\n"
        "{list}"
    ),
    "offer_line": "{slug}, {when} ({why}); a person takes it by sending: safepoint pick {id}",
    "why_claimed": "shown to chat {session}",
    "why_other": "of another campaign than this chat's",
    "why_older": "not the newest one",
    "why_unknown": "the start of its chat was not seen",
    "claim_lost": (
        "Safepoint: the handoff that this chat was offered had been taken before, {when}, by chat"
        " {session} ({host}); two chats would do the same work. To take it over all the same, send:"
        " safepoint pick {id}"
    ),
    # --- handoff and resume: headings ---
    "handoff_title": "Handoff: {slug}",
    "written_draft": "Draft, written while the work was going on.",
    "written_red": "Written by a hook when the context was full, before the next tool was stopped.",
    "written_compact": "Written by a hook before the host compacted the chat.",
    "written_moved": "Written when the campaign was sent to another machine.",
    "written_end": "Written when the chat had ended.",
    "label_position": "Where it stopped",
    "label_completed": "Completed work",
    "label_doubtful": "Done then, but not as it was any more",
    "label_next_action": "Next action",
    "label_resume_point": "Resume point",
    "label_constraints": "Constraints for going on",
    "label_open_errors": "Open errors",
    "label_commands": "Recent commands",
    "label_files": "Files",
    "label_todo": "Todo list",
    "label_git": "Git",
    "label_subagents": "Subagents that were running",
    "label_notes": "The agent's own notes (carried: said by it, not checked)",
    "label_others": "Other handoffs in this folder",
    "label_fresh": "State of the work tree",
    # --- handoff and resume: lines ---
    "line_none": "- none",
    "line_more": "- {count} more, see {where}",
    "line_more_short": "- {count} more",
    "line_step": "- Step: {step}",
    "line_step_phase": "- Step: {step} (phase {phase})",
    "line_no_step": "- Step: none open",
    "line_todo": "- Todo: {number} of {total}: {item}",
    "line_todo_done": "- Todo: all {total} done",
    "line_no_todo": "- Todo: no list",
    "line_file": "- File worked on last: {file}",
    "line_no_file": "- File worked on last: none",
    "line_last": "- Last completed tool: {tool}: {summary}",
    "line_last_exit": "- Last completed tool: {tool}: {summary} (exit {exit})",
    "line_no_last": "- Last completed tool: none",
    "line_reading": "- Context: {percent}% ({tokens} of {window} tokens, {source}), {level}",
    "line_no_reading": "- Context: not known, {level}",
    "line_prompt": "- Last prompt: {text}",
    "known_verified": "verified: {evidence}",
    "known_carried": "carried: {evidence}",
    "completed_about": "verified: a hook saw it succeed. carried: said by an agent or a todo list.",
    "completed_done": "Done already; there is no need to do it again.",
    "evidence_exit_0": "exit 0",
    "evidence_file": "file written",
    "evidence_todo": "todo list",
    "evidence_subagent": "subagent's report",
    "next_todo": "{text}",
    "next_substep": "Sub-step: {text}",
    "next_failing_command": "Failed last and still open: {text}",
    "next_prompt": "Last prompt of the person: {text}",
    "next_none": "None recorded: no todo list, no failing command, no prompt.",
    "next_reads": "Files that belong to it: {paths}",
    "exit_known": "exit {exit}",
    "exit_unknown": "exit unknown",
    "command_in": "{exit}, in {cwd}",
    "line_changed": "- Changed: {file}",
    "line_read": "- Read: {file}",
    "line_branch": "- Branch: {branch}",
    "line_no_branch": "- Branch: none (detached)",
    "line_commit": "- Commit: {commit}",
    "line_git_changed": "- Files changed in the work tree: {count}",
    "line_git_file": "  - {file}",
    "line_git_more": "  - {count} more",
    "line_git_cut": "  - the list was cut short",
    "line_untracked": "- Of these untracked: {count}",
    "line_no_git": "- Not known: {why}",
    "line_git_not_asked": "not looked at for this handoff",
    "line_path": "- {what}: {path}",
    "path_point": "Resume point (JSON)",
    "path_checkpoint": "Checkpoint (JSON, never changed)",
    "path_envelope": "Step envelope",
    "path_report": "Task report",
    "path_notes": "The agent's own notes, where it left any",
    "path_none": "none",
}
