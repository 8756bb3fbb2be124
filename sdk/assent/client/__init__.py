"""The client: each operation written once as a generator, run by a synchronous and an asynchronous driver."""
