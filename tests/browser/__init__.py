"""What a person sees: pages in a real chromium."""
