"""The past, kept on purpose: recorded behind the engine thread, read by people and the map's timeline."""
