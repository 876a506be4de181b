"""The rooms' outlines, as WKT: which room a point is in, ``contains(region(outline), point(x, y))`` says."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "outlines",
        sa.Column("room", sa.Text, primary_key=True),
        sa.Column("floor", sa.Integer, nullable=False),
        sa.Column("outline", sa.Text, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("outlines")
