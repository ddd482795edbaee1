"""What drawings are made of besides curves: pictures of worked examples, and tables that a paper printed."""
