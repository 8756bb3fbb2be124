"""Analytics: frames in, frames out."""
