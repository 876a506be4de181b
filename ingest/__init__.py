"""The world becomes updates: wrappers append what they receive to the log; whoever reads it decodes."""
