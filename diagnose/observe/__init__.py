"""Goes and gets one observation; one file a layer."""
