"""What a panel is made of: controls, pictures, and the thread that answers."""
