"""The classes of evaluation maps."""

# From where change is least wanted to where it is most.
EVALUATION_CLASSES = ("red", "red2", "yellow", "green", "green2", "green3")
