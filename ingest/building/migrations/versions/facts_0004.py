"""The outlets of power units, each with the machine that hangs on it."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "outlets",
        sa.Column("unit", sa.Text, primary_key=True),
        sa.Column("outlet", sa.Integer, primary_key=True),
        sa.Column("machine", sa.Text, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("outlets")
