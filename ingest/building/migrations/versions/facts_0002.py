"""The doors that tell whether they are open, each on the segment that it closes."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "doors",
        sa.Column("door", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("floor", sa.Integer, nullable=False),
        sa.Column("x1", sa.Double, nullable=False),
        sa.Column("y1", sa.Double, nullable=False),
        sa.Column("x2", sa.Double, nullable=False),
        sa.Column("y2", sa.Double, nullable=False),
        sa.Column("segment", sa.Text, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("doors")
