"""What a checker says of a round that is not what its certificate claims."""


class Unsound(Exception):
    """A sentence that says what is wrong."""
