"""What the bytes of a JSON document have somewhere if any of its texts or names may hold a secret.

One expression in RE2's syntax, without regard to case, for whoever has to look at every request: a document in which
it is not found is left as it is by `redact_members`. It may find more than there is, and never less; escapes that could
spell any of it (`\\u0070assword`, `:\\/\\/`) count as signs themselves. A property of the tests holds the two together.
"""

_BEFORE = r"(?:[^a-z0-9_]|\\[bfnrt])"
"""What is no part of a word; in JSON a line break is a backslash and a letter."""
SIGNS = (
    r"(?i)"
    # escapes of plain letters, and of slashes
    r"\\u00|\\/"
    # names of secrets
    r"|pass(?:[^a-z]|word|wd|phrase|code)|pwd|secret|token[^s]|credential"
    r"|(?:api|access|private|signing|encryption)[^a-z0-9]?key"
    r"|authorization[^a-z0-9_]|cookies?[^a-z0-9_]|x-[a-z-]{0,40}key"
    # addresses and commands
    r"|://[^\s/@\"']+@|-u[ =]|--user[ =]|hooks\.slack\.com|bearer[ \\]"
    # keys that say what they are
    rf"|{_BEFORE}sk-|[rsp]k_(?:live|test)_|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-|a[ks]ia[a-z0-9]"
    r"{16}|aiza|oc_[a-z0-9_]{16}|assent_[a-z0-9_-]{43}|whsec_|npm_|pypi-|hf_|eyj|-----begin"
)
