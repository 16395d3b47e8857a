"""Views: what a log and its state look like to a person. They decide nothing and touch no file."""
