"""Benchmarks: each figure beside a baseline that is measured in the same run, in turns."""
