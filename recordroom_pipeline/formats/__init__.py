"""Other people's files, both ways."""
