"""What users would pick instead, written as its own documentation has it."""
