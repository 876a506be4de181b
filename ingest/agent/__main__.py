"""``python -m ingest.agent``: the agent without the rest of SmartCIS."""

import sys

from ingest.agent.command import main

sys.exit(main())
