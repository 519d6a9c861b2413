"""What is said of the todo list, in English."""

from __future__ import annotations

MESSAGES = {
    "todo_count": "({done}/{total} completed)",
    "todo_more": "{count} more",
    # --- rules: read by the model behind a host's "hook error:" ---
    "todo_refused": "Safepoint did not run this call, the todo list is as it was. {reason}",
    "todo_warned": "Safepoint's rules for the todo list (the call was not stopped): {reason}",
    "todo_rule_list": (
        "The input holds no list of items. What it takes: a list of"
        ' {{"content": "...", "status": "pending | in_progress | completed", "activeForm": "..."}}'
    ),
    "todo_rule_required": (
        'Every item has its required fields, but item {number} ("{item}") has no {field}. The same call with'
        " {field} as text goes through."
    ),
    "todo_rule_empty": (
        "No item may be empty, but the {field} of item {number} is. The same call with a text there goes"
        " through."
    ),
    "todo_rule_status": 'The status "{status}" of "{item}" is not known. Those that are: {allowed}.',
    "todo_rule_duplicate": (
        'No two open items are the same, and "{item}" is open already (item {id}). That item can be updated,'
        " or this one worded so that it says what is different."
    ),
    "todo_rule_max_open": (
        'At most {max} items may be open, and "{item}" would be one more ({open}). It can be added once'
        " another is completed or deleted; small steps can share one item."
    ),
    "todo_rule_one_in_progress": (
        'One item at a time may be in_progress: "{other}" is, so "{item}" cannot be as well. {tool} goes'
        ' through once "{other}" (item {id}) is set to completed, or to pending where it has to wait; both'
        " can be in one message."
    ),
    "todo_rule_unknown": "There is no item {item}. Items of this list: {known}.",
    # --- reminders ---
    "reminder_stale": (
        "Safepoint: {requests} requests have gone by since the todo list was last changed. Open in it are:\n"
        "{list}\n"
        "Where the work is further than this list, {tool} would bring it up to date; where it is not, nothing"
        " has to be done. This note is not for the user."
    ),
    "reminder_initial": (
        "Safepoint: this looks like work of several steps. A todo list ({tool}) keeps them in view, for the"
        " agent and for the user; a small task needs none. This note is not for the user."
    ),
    "reminder_no_call": (
        "Safepoint: {requests} requests have gone by without a todo list, and the work has grown to several"
        " steps. {tool} would show what is done and what is left; where little is left, none is needed. This"
        " note is not for the user."
    ),
}
