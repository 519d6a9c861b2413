"""Measurements that anyone can repeat: `python -m tools.bench latency`. See docs/performance.md."""
