"""What crosses the wire, written once: structs and endpoints by noun. Imports nothing but msgspec."""
