"""Celery workers: AI turns, and what follows the end of a match."""
