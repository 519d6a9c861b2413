"""How near the estimate comes to real token counts, for each kind of text.

    python -m tools.bench.accuracy           the table of the texts that were not fitted to
    python -m tools.bench.accuracy --write   and into docs/performance.md
    python -m tools.bench.accuracy --fit     fit the prices anew and write them into textweight.py

Needs Node and npm: the two tokenizers go to a folder that git ignores.
"""

from __future__ import annotations

import sys

from . import corpus, fit, table, tokenizers


def main(arguments: list[str]) -> int:
    if unknown := set(arguments) - {"--write", "--fit"}:
        print(f"unknown: {' '.join(sorted(unknown))}\n\n{__doc__}", file=sys.stderr)
        return 2
    try:
        tokenizers.install()
    except tokenizers.TokenizersUnavailableError as error:
        print(error, file=sys.stderr)
        return 1
    texts = corpus.texts()
    counted = tokenizers.count([text.body for text in texts])
    if "--fit" in arguments:
        samples = [
            fit.Sample(text.kind, fit.counts(text.body), max(real))
            for text, real in zip(texts, counted)
            if text.fitted
        ]
        fit.write(fit.prices(samples))
        print(
            f"wrote the prices of {len(samples)} texts into {fit.MODULE.name}; the table is of the next run"
        )
        return 0
    held = [(text, real) for text, real in zip(texts, counted) if not text.fitted]
    rows = table.rows(held)
    print(table.render(rows))
    if "--write" in arguments:
        table.write(rows)
    return 0 if table.holds(rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
