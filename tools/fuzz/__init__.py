"""Coverage-guided fuzzing of what hooks read: payloads, their own files, texts with secrets in them.

    .venv/bin/python -m pip install atheris        # once; no part of the project needs it
    .venv/bin/python -m tools.fuzz payload --seconds 600

What was found interesting is kept below `tools/fuzz/corpus`; a test plays it to the hooks without atheris.
"""
