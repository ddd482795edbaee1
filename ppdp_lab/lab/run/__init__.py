"""What makes results: parameters, identity and folder of a run, the kernel that executes it, what a notebook hands over."""
