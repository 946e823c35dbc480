"""What users would choose instead, written as in its own documentation."""
