"""Whether agents get better, and what their own record suggests."""
