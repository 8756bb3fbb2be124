"""What good work looks like in numbers, and whether what was stated came true."""
