"""The facts: rooms, desks, machines with software, equipment, detectors, routing points, entrances."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "rooms",
        sa.Column("room", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("floor", sa.Integer, nullable=False),
        sa.Column("open_lab", sa.Boolean, nullable=False),
        sa.Column("area", sa.Double, nullable=False),
        sa.Column("x", sa.Double, nullable=False),
        sa.Column("y", sa.Double, nullable=False),
        sa.Column("point", sa.Text, nullable=False),
    )
    op.create_table(
        "desks",
        sa.Column("desk", sa.Text, primary_key=True),
        sa.Column("room", sa.Text, nullable=False),
        sa.Column("floor", sa.Integer, nullable=False),
        sa.Column("x", sa.Double, nullable=False),
        sa.Column("y", sa.Double, nullable=False),
        sa.Column("point", sa.Text, nullable=False),
    )
    op.create_table(
        "machines",
        sa.Column("machine", sa.Text, primary_key=True),
        sa.Column("desk", sa.Text, nullable=False),
        sa.Column("room", sa.Text, nullable=False),
        sa.Column("floor", sa.Integer, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("cpu_type", sa.Text, nullable=False),
        sa.Column("cores", sa.Integer, nullable=False),
        sa.Column("memory_gb", sa.Integer, nullable=False),
        sa.Column("gpu", sa.Text),
    )
    op.create_table(
        "software",
        sa.Column("machine", sa.Text, primary_key=True),
        sa.Column("package", sa.Text, primary_key=True),
        sa.Column("version", sa.Text, nullable=False),
    )
    op.create_table(
        "equipment",
        sa.Column("room", sa.Text, primary_key=True),
        sa.Column("item", sa.Text, primary_key=True),
        sa.Column("pieces", sa.Integer, nullable=False),
    )
    _create_places()


def _create_places() -> None:
    for table, key in (("detectors", "detector"), ("routing_points", "point")):
        more = (
            [sa.Column("kind", sa.Text, nullable=False), sa.Column("room", sa.Text)] if key == "point" else []
        )
        op.create_table(
            table,
            sa.Column(key, sa.Text, primary_key=True),
            sa.Column("floor", sa.Integer, nullable=False),
            sa.Column("x", sa.Double, nullable=False),
            sa.Column("y", sa.Double, nullable=False),
            *more,
        )
    op.create_table(
        "routing_segments",
        sa.Column("segment", sa.Text, primary_key=True),
        sa.Column("a", sa.Text, nullable=False),
        sa.Column("b", sa.Text, nullable=False),
        sa.Column("metres", sa.Double, nullable=False),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("way", sa.Text, nullable=False),
    )
    op.create_table(
        "entrances",
        sa.Column("entrance", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("floor", sa.Integer, nullable=False),
        sa.Column("x", sa.Double, nullable=False),
        sa.Column("y", sa.Double, nullable=False),
        sa.Column("point", sa.Text, nullable=False),
        sa.Column("step_free", sa.Boolean, nullable=False),
    )


def downgrade() -> None:
    for table in [
        "rooms",
        "desks",
        "machines",
        "software",
        "equipment",
        "detectors",
        "routing_points",
        "routing_segments",
        "entrances",
    ]:
        op.drop_table(table)
