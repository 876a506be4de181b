"""The real servers and the real browser that tests run against, each on a free port of 127.0.0.1."""
