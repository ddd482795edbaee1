"""The classroom: exercises whose checks say why an answer is wrong, one file each, and the course that they make up."""
