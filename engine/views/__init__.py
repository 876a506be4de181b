"""Views: the dataflow that keeps them, what they hold, and what their readers are told."""
