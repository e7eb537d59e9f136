"""Migrations from older schemas to the newest one, run by alembic."""
