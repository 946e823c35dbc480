"""What changed in a project between two archives."""
