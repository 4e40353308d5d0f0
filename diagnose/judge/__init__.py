"""From evidence to a diagnosis. Pure."""
