"""The evidence log in PostgreSQL: one log for each database, which any number of processes append to.

    migrations/    the tables and functions, a file for each version of the schema
    schema         makes and upgrades them (`assent migrate`), and says whether a database has them
    connecting     connections, what a database must be like, and what its errors mean
    shared_log     append under fences, events after a place, head, erased bodies, objects, leases
    examination    what `assent doctor` looks at in a database
    log_file       the same lines as files, written from what the database gives
    copying        a log from one place to the other, verified (`assent log copy`)

What is imported here needs the extra `postgresql`.
"""
