"""``python -m ingest.broker``: the embedded broker as a process."""

import sys

from ingest.broker.embedded import main

sys.exit(main())
