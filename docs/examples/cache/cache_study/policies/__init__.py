"""The candidate designs: one file each, with a function `victim`."""
