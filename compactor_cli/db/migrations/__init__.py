"""Turn older schemas into the newest one; alembic runs them."""
