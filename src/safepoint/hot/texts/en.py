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
        " on from there with its first message.{link} To go on in this one, send: safepoint extend"
    ),
    "red_followup": (
        "From Safepoint, for the user of this chat: the context is full and the state of the work is saved"
        " in {handoff}. A new chat in this folder goes on from there with its first message.{link} Passing"
        " this on is all that this message is for; it asks for no tool."
    ),
    "work_kept_user": (
        "The uncommitted work is kept apart as well. In a terminal it comes back with: safepoint restore"
        " --local"
    ),
    "work_kept_but_user": (
        "The uncommitted work is put aside as well, without these, which are only in the files as before:"
        " {names}. In a terminal it comes back with: safepoint restore --local"
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
        " its first message.{link} To go on in this one, send: safepoint extend"
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
        " In a terminal it is written anew by: safepoint generate"
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
    "switch_file_user": (
        "Safepoint: {where} holds what the hooks cannot go by ({why}). It is a JSON object with one key,"
        " mode, which is off, warn or enforce."
    ),
    "broken_user": (
        "Safepoint does not work in this folder, and nothing is guarded ({error})."
        " Installing it again mends it."
    ),
    "sync_came_user": (
        "Safepoint: campaign {slug} came from {remote} ({by}, {machine}); this chat is shown its handoff."
    ),
    "sync_work_user": (
        "In a terminal the uncommitted files of that machine come with: safepoint restore {slug}"
    ),
    "sync_trouble_user": (
        "Safepoint: {remote} was not asked for campaigns to go on with ({why}). In a"
        " terminal: safepoint pull"
    ),
    "manifest_changed_user": (
        "Safepoint: {manifest} has changed since it was compiled, and the hooks still go by the old settings."
        " In a terminal a person compiles it with: safepoint generate"
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
}
