"""`assent scan`: texts looked through for prompt injections and secrets, offline."""
