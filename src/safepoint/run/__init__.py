"""`safepoint run`: headless sessions one after the other, each going on from the handoff before it."""
