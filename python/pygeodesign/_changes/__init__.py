"""Changes in a project between two archives."""
