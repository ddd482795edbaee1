"""What draws, judges and prints results that are there: nothing in this room changes a number."""
