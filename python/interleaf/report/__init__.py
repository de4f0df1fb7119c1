"""What the model will see, as something to look at."""
