"""The scanners behind ``redact``.

Everything is found with ``str.find`` and looked at by hand: a process that lives for ten milliseconds need
not load ``re`` for it, and nothing can backtrack.  Work is linear in the text; a text with too many
suspicious places is refused with an exception, and then dropped.
"""
