"""How older schemas become the newest one; alembic runs them."""
