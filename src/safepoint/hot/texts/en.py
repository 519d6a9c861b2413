"""English. Texts for the model state facts: what reads like an order trips its defence against injections."""

from __future__ import annotations

MESSAGES = {
    # --- a tool is not run (read behind "PreToolUse:Bash hook error: ") ---
    "deny_full": (
        "Safepoint did not run this tool, because the context of this chat is full: {percent}% ({tokens}"
        " of {window} tokens, {source}; Red begins at {red}). The tool itself has no fault, and other"
        " tools here are answered the same way.\n"
        "Saved: handoff {handoff}, checkpoint {checkpoint}, resume point {resume_point}. A new chat in"
        " this folder is shown the handoff with its first message.{link}\n"
        "Still possible in this chat, {grace_calls} calls in all: the notes file {notes} (own words for"
        " the next chat), the task report, the todo tools, and as single commands: {grace_commands}.\n"
        'A person can go on here by sending "safepoint extend" as a whole prompt; "safepoint status" shows'
        " the figures."
    ),
    "deny_compacted": (
        "Safepoint did not run this tool, because the host has compacted this chat: what it still holds is"
        " a summary ({percent}%, {tokens} of {window} tokens now). In this repository a compacted chat"
        " hands over to a new one. The tool itself has no fault, and other tools here are answered the"
        " same way.\n"
        "Saved before the compaction: handoff {handoff}, checkpoint {checkpoint}, resume point"
        " {resume_point}. A new chat in this folder is shown the handoff with its first message.{link}\n"
        "Still possible in this chat, {grace_calls} calls in all: the notes file {notes} (own words for"
        " the next chat), the task report, the todo tools, and as single commands: {grace_commands}.\n"
        'A person can go on here by sending "safepoint extend" as a whole prompt; "safepoint status" shows'
        " the figures."
    ),
    "deny_subagent": (
        "Safepoint did not run this tool, because the context of this subagent is full: {percent}%"
        " ({tokens} of {window} tokens, {source}; Red begins at {red}). The tool itself has no fault, and"
        " other tools of this subagent are answered the same way.\n"
        "Its state is saved: handoff {handoff}, checkpoint {checkpoint}. What it reports now goes to the"
        " chat that started it, which can give the rest of the work to a fresh subagent."
    ),
    "deny_unlisted": (
        "Safepoint did not run this tool, because the context of this chat is full: {percent}% ({tokens} of"
        " {window} tokens, {source}; Red begins at {red}). The tool itself has no fault, and other tools here"
        " are answered the same way.\n"
        "Saved: handoff {handoff}, checkpoint {checkpoint}. Where this chat was started from is not known:"
        " what a subagent reports now goes to the chat that started it, and a new chat in this folder is told"
        " of the handoff in one line. A person can go on here by sending \"safepoint extend\" as a whole"
        " prompt."
    ),
    "subagent_halted": (
        "Safepoint: subagent {agent} was ended with a full context and has given no report. How far it came"
        " is in {handoff}"
    ),
    "deny_brief": (
        "Safepoint did not run this one either, for the reason given with the first call of this message."
        " The saved state: {handoff}"
    ),
    # --- levels ---
    "yellow_user": (
        "Safepoint: the context is {percent}% full ({tokens} of {window} tokens, {source}). Red begins at"
        " {red}: with mode enforce, tools stop there and a new chat goes on. A draft of the handoff is on"
        " disk."
    ),
    "yellow_model": (
        "Safepoint: the context of this chat is {percent}% full ({tokens} of {window} tokens, {source})."
        " Red begins at {red} tokens: with mode enforce, the state of this chat is saved then, none of its"
        " tools is run any more, and a new chat goes on from there. Work that reads or prints a lot takes"
        " less room here when a subagent does it, and the end of a step is the cheapest place to change"
        " chats. Draft of the handoff: {handoff}"
    ),
    "red_warn_user": (
        "Safepoint: the context is {percent}% full ({tokens} of {window} tokens, {source}), past Red"
        " ({red}). In this mode no tool is stopped. The handoff so far: {handoff}"
    ),
    "red_warn_model": (
        "Safepoint: the context of this chat is {percent}% full ({tokens} of {window} tokens, {source}),"
        ' past Red ({red}). With mode "enforce" this tool would not have run; here it does. A new chat can'
        " go on from the handoff so far: {handoff}"
    ),
    "red_stop_user": (
        "Safepoint: the context is full; the state is saved in {handoff}. A new chat in this folder goes"
        " on from there with its first message.{link} To go on in this one: safepoint extend"
    ),
    "red_followup": (
        "From Safepoint, for the user of this chat: the context is full and the state of the work is saved"
        " in {handoff}. A new chat in this folder goes on from there with its first message.{link} Passing"
        " this on is all that this message is for; it asks for no tool."
    ),
    "work_kept_user": (
        "The uncommitted work is kept apart as well. It comes back with: safepoint restore --local"
    ),
    "work_kept_but_user": (
        "The uncommitted work is put aside as well, without these, which are only in the files as before:"
        " {names}. It comes back with: safepoint restore --local"
    ),
    "work_none_user": (
        "The uncommitted work is not kept apart, since git could not take it: {names}; it is in the files"
        " as before."
    ),
    "work_skipped_user": "The uncommitted work is not kept apart, since {why}; it is in the files as before.",
    "work_large": "there is too much of it",
    "work_late": "git took too long",
    "work_failed": "git could not do it",
    "halt": (
        "Safepoint ended this turn: the context is full, and tools were called again after the reason had"
        " been given. The state is saved in {handoff}. A new chat in this folder goes on from there with"
        " its first message.{link} To go on in this one: safepoint extend"
    ),
    "link_clause": " It can be opened with {link} .",
    "run_resume_prompt": "The model could not be reached for a while. The work goes on from where it stood.",
    "link_prompt": "Continue {slug} (safepoint handoff {id})",
    # --- trouble ---
    "save_failed_user": (
        "Safepoint: the context is full, but its state could not be saved, so tools go on running. Why:"
        " {error}"
    ),
    "fault_user": "Safepoint: {kind}. The tool went on as if no hook were there. Details: {log}",
    "no_settings_user": (
        "Safepoint guards nothing here, because .cursor/hooks/settings.json cannot be read ({error})."
        " It is written anew by: safepoint generate"
    ),
    "kind_deadline": "a hook ran out of time",
    "kind_payload": "what the host sent could not be read",
    "kind_permission": "a file could not be opened for want of permission",
    "kind_files": "a file of Safepoint's own is missing",
    "kind_disk": "a file could not be read or written",
    "kind_internal": "an error in Safepoint itself",
    "state_rebuilt_user": (
        "Safepoint: the stored state of this chat was damaged and has been rebuilt from its journal."
    ),
    "unsaved_user": (
        "Safepoint: the state file of this chat cannot be written ({why}). Its journal has all that it says,"
        " so nothing is lost; hooks are slower."
    ),
    "unread_user": (
        "Safepoint: the transcript of this chat cannot be read ({why}). How full the context is, is estimated"
        " from what passes through the hooks."
    ),
    "unread_handoffs_user": (
        "Safepoint: these may be waiting handoffs, and cannot be read, so they are not shown:\n{list}"
    ),
    "git_user": (
        "Safepoint: git did not tell of this work tree ({why}), so the handoff has no commit, branch or list"
        " of changed files."
    ),
    "switch_user": (
        "Safepoint: {where} says \"{value}\", which is none of enforce, warn and off, so it changes nothing."
    ),
    "broken_user": (
        "Safepoint does not work in this folder, and nothing is guarded ({error})."
        " Installing it again mends it."
    ),
    "sync_came_user": (
        "Safepoint: campaign {slug} came from {remote} ({by}, {machine}); this chat is shown its handoff."
    ),
    "sync_work_user": "The uncommitted files of that machine come with: safepoint restore {slug}",
    "sync_trouble_user": (
        "Safepoint: {remote} was not asked for campaigns to go on with ({why}). By hand: safepoint pull"
    ),
    "manifest_changed_user": (
        "Safepoint: {manifest} has changed since it was compiled, and the hooks still go by the old settings."
        " A person compiles it with: safepoint generate"
    ),
    # --- compaction ---
    "compact_saved_user": (
        "Safepoint: the state from before this compaction is saved in {path}. A new chat in this folder"
        " goes on from there with its first message."
    ),
    "compact_brief_head": (
        "Safepoint: this chat was compacted. Recorded by hooks before that, campaign {slug}, step {step}:"
    ),
    "compact_brief_more": "More of it: {path}",
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
    "offer_line": "{slug}, {when} ({why}); a person takes it with: safepoint pick {id}",
    "why_claimed": "shown to chat {session}",
    "why_other": "of another campaign than this chat's",
    "why_older": "not the newest one",
    "why_unknown": "the start of its chat was not seen",
    "claim_lost": (
        "Safepoint: the handoff that this chat was offered had been taken before, {when}, by chat"
        " {session} ({host}); two chats would do the same work. To take it over all the same: safepoint"
        " pick {id}"
    ),
    # --- replies to a person's `safepoint ...` prompt ---
    "reply_status": (
        "Safepoint: {level}, {tokens} of {window} tokens ({source}; window: {window_source}). Yellow from"
        " {yellow}, Red from {red}; {paused}.\n"
        "Campaign: {campaign}; todos done: {done} of {total}.\n"
        "Handoffs waiting: {pending}"
    ),
    "paused_on": "paused",
    "paused_off": "not paused",
    "reply_extend": "Safepoint: Red moved by {tokens} tokens and now begins at {red}. This chat goes on.",
    "reply_extend_capped": "{asked} were asked for; Red never begins above 97 % of the window.",
    "reply_handoff_withdrawn": "The handoff that waited for a new chat is withdrawn.",
    "reply_extend_full": (
        "Safepoint: nothing was changed. The context holds {tokens} tokens, and Red can begin at {red} at"
        " most, so this chat would be stopped again at once. A new chat in this folder goes on from the"
        " handoff."
    ),
    "reply_done": "Safepoint: done already.",
    "reply_help": (
        "Safepoint: \"{word}\" is none of its words. They are, each as a whole prompt: safepoint status,"
        " safepoint extend [tokens], safepoint pick ID, safepoint dismiss [ID], safepoint pause"
    ),
    "reply_extend_refused": (
        'Safepoint: "{argument}" is no number of tokens. Examples: safepoint extend, safepoint extend 20k'
    ),
    "reply_pick": "Safepoint: handoff {id} belongs to this chat now; its text comes with the next message.",
    "reply_pick_unknown": 'Safepoint: no single handoff is named by "{id}". Waiting: {known}',
    "reply_dismiss": "Safepoint: handoff {id} is not offered any more. Its files stay.",
    "reply_dismiss_none": "Safepoint: this does not name one handoff. Waiting: {known}",
    "reply_pause_on": (
        "Safepoint: paused for this chat; nothing is stopped. The same words end the pause: safepoint pause"
    ),
    "reply_pause_on_red": "After the pause the first tool at Red saves it anew, and it waits again.",
    "reply_pause_off": "Safepoint: the pause is over; at Red tools are stopped again.",
    "reply_pause_off_red": (
        "This chat is at Red: at its next tool the state is saved, the tool is stopped, and the handoff"
        " waits for a new chat again."
    ),
    # --- our section of the task report ---
    "report_section": (
        "**Interrupted** (chat {session}, step {step}, todos {done}/{total}); written by Safepoint.\n"
        "\n"
        "- Next: {next}\n"
        "- Handoff: {handoff}"
    ),
    # --- workers and heavy skills ---
    "worker_task": "Task: {task}",
    "worker_report": "Its last words (carried: said by it, not checked):",
    "worker_silent": "It left no words. What it changed stands under outputs.",
    "checkpoint_remind": (
        "Safepoint: a subagent of the skill {skill} has ended. Hooks noted it in {path} (phase {phase}). What"
        " only its report says is not there yet; the skill's contract: {update}. It goes in with: safepoint"
        " checkpoint save --phase PHASE --worker NAME --text TEXT"
    ),
    "step_start_advice": (
        "The context of this chat is {level} already. A long step is better begun in a new chat, or given"
        " to a subagent; a new chat goes on from this envelope."
    ),
    "report_steps": "Steps, kept by Safepoint:",
    # --- where a figure comes from ---
    "source_host": "stated by the host",
    "source_transcript": "from the transcript",
    "source_turn_sum": "solved from the turn's total",
    "source_unconfirmed": "solved from a turn's total, not yet borne out by the next turns",
    "source_estimate": "estimated",
    "source_proxy": "a rough guess",
    "source_unknown": "unknown",
    "window_host": "stated by the host",
    "window_learned": "seen earlier with this model",
    "window_model_table": "by the model's name",
    "window_ambiguous": "this model has two sizes",
    "window_host_default": "the host's usual size",
    "window_unknown": "unknown",
    "level_green": "Green",
    "level_yellow": "Yellow",
    "level_red": "Red",
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
    "git_not_asked": "not looked at for this handoff",
    "line_path": "- {what}: {path}",
    "path_point": "Resume point (JSON)",
    "path_checkpoint": "Checkpoint (JSON, never changed)",
    "path_envelope": "Step envelope",
    "path_report": "Task report",
    "path_notes": "The agent's own notes, where it left any",
    "path_none": "none",
}
