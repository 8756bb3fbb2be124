"""The client: each operation written once, run by a synchronous and an asynchronous driver."""
