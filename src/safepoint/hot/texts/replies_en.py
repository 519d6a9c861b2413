"""Answers to a person's `safepoint ...` prompt, in English."""

from __future__ import annotations

MESSAGES = {
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
    "reply_scheduled": (
        'Safepoint: a schedule has sent "safepoint {word}", so it changes nothing. It works when a person'
        " sends it."
    ),
    "reply_extend_refused": (
        'Safepoint: "{argument}" is no number of tokens. Examples: safepoint extend, safepoint extend 20k'
    ),
    "reply_pick": "Safepoint: handoff {id} belongs to this chat now; its text comes with the next message.",
    "reply_pick_failed": (
        "Safepoint: handoff {id} was not taken: its files cannot be read, or another chat has just taken it."
    ),
    "reply_dismiss": "Safepoint: handoff {id} is not offered any more. Its files stay.",
    "reply_none_waits": "Safepoint: no handoff waits in this folder.",
    "reply_unknown_handoff": 'Safepoint: no waiting handoff is named "{id}". There are:\n{list}',
    "reply_which_handoff": (
        "Safepoint: which handoff? Its id, or so much of it that it is clear, goes with the word: safepoint"
        " {word} ID\n{list}"
    ),
    "reply_pause_on": (
        "Safepoint: paused for this chat; nothing is stopped. The same words end the pause: safepoint pause"
    ),
    "reply_pause_on_red": "After the pause the first tool at Red saves it anew, and it waits again.",
    "reply_pause_off": "Safepoint: the pause is over; at Red tools are stopped again.",
    "reply_pause_off_red": (
        "This chat is at Red: at its next tool the state is saved, the tool is stopped, and the handoff"
        " waits for a new chat again."
    ),
}
