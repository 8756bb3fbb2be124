-- Version 1 of the schema: the log, its head and its fences, and what lies beside it.
--
-- Everything that appends holds the row of log_head until its commit, so events become visible in the order of their
-- seq and without a gap: whoever reads the events after a place misses none. The functions run with the rights of the
-- role that made them; the role that serves may call them and read, and change nothing otherwise.

CREATE TABLE assent.log_head (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    log uuid NOT NULL DEFAULT gen_random_uuid(),
    seq bigint NOT NULL DEFAULT 0,
    -- Fences up to this seq may have been forgotten: who read before it cannot be judged any more.
    floor bigint NOT NULL DEFAULT 0,
    -- While somebody copies a log into this database nobody serves from it.
    copying boolean NOT NULL DEFAULT false
) WITH (fillfactor = 60);
INSERT INTO assent.log_head DEFAULT VALUES;

-- n: how many events the organization has.
CREATE TABLE assent.organizations (org text COLLATE "C" PRIMARY KEY, n bigint NOT NULL) WITH (fillfactor = 60);

CREATE TABLE assent.log (
    seq bigint PRIMARY KEY,
    batch bigint NOT NULL,
    batch_size integer NOT NULL,
    org text COLLATE "C" NOT NULL,
    n bigint NOT NULL,
    leaf bytea NOT NULL,
    header bytea NOT NULL,
    body bytea NOT NULL,
    UNIQUE (org, n)
);

-- The newest event that changed what the name stands for.
CREATE TABLE assent.fences (
    name text COLLATE "C" PRIMARY KEY,
    seq bigint NOT NULL,
    at timestamptz NOT NULL
) WITH (fillfactor = 60);

-- Each writer's last call and what was answered to it.
CREATE TABLE assent.writers (
    writer uuid PRIMARY KEY,
    counter bigint NOT NULL DEFAULT 0,
    outcome text,
    head bigint,
    clock bigint,
    bases bigint[],
    overtaken bigint[],
    at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 60);

CREATE TABLE assent.objects (
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (kind, name)
);

CREATE TABLE assent.leases (name text COLLATE "C" PRIMARY KEY, holder text NOT NULL, until timestamptz NOT NULL);

-- outcome: appended | conflict (nothing was written) | stale (the writer's counter has gone on, or nobody knows the
-- writer) | copying (somebody copies a log in) | ahead (the
-- writer has read what this log does not hold) | clock (a time is too far off).
-- head: the last seq before the batch. clock: microseconds since 1970. bases: for each organization of the call the n
-- of its first event. overtaken: for each submission 0, or the seq that overtook it; null when none was.
CREATE TYPE assent.answer AS (outcome text, head bigint, clock bigint, bases bigint[], overtaken bigint[]);

CREATE FUNCTION assent.register(p_writer uuid) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ INSERT INTO assent.writers (writer) VALUES (p_writer) ON CONFLICT DO NOTHING $$;

-- Locks the head and says what there is to say before anything is looked at: the kept answer of a call that comes
-- again, that it is too late, or that it cannot be. `outcome` is null when the call is to be carried out.
CREATE FUNCTION assent.open_call(
    p_writer uuid, p_counter bigint, p_earliest bigint, p_latest bigint, p_after bigint
) RETURNS assent.answer
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
AS $$
DECLARE
    v_head bigint;
    v_copying boolean;
    v_known assent.writers;
    v assent.answer;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'appends need the isolation level read committed';
    END IF;
    -- A statement of its own: what follows sees all that was committed while this one waited. The lock also gives the
    -- transaction a commit that waits for the standby, so that a kept answer is as durable as the first one.
    SELECT h.seq, h.copying INTO v_head, v_copying FROM assent.log_head h WHERE h.one FOR NO KEY UPDATE;
    v.clock := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
    v.head := v_head;
    SELECT * INTO v_known FROM assent.writers w WHERE w.writer = p_writer;
    IF v_known.writer IS NULL OR v_known.counter > p_counter THEN
        v.outcome := 'stale';
    ELSIF v_known.counter = p_counter THEN
        v := (v_known.outcome, v_known.head, v_known.clock, v_known.bases, v_known.overtaken)::assent.answer;
    ELSIF v_copying THEN
        v.outcome := 'copying';
    ELSIF p_after > v_head THEN
        v.outcome := 'ahead';
    ELSIF p_latest > v.clock + 1000000 OR p_earliest < v.clock - 60000000 THEN
        v.outcome := 'clock';
    END IF;
    -- A refusal is kept as well: a copy of the call that comes later must not do what was refused.
    IF v.outcome IN ('copying', 'ahead', 'clock') AND v_known.counter < p_counter THEN
        UPDATE assent.writers w SET counter = p_counter, outcome = v.outcome, head = v.head, clock = v.clock,
            bases = NULL, overtaken = NULL, at = clock_timestamp() WHERE w.writer = p_writer;
    END IF;
    RETURN v;
END $$;

-- Numbers, hashes and writes a batch whose conditions hold, moves its fences, and keeps the answer. Called with the head
-- locked. Event i is of organization p_orgs[p_org[i]] and the p_k[i]-th (from 0) of it here; its header is p_prefix,
-- its n and p_suffix. p_move_at is the place in the batch of the event that moves the fence.
CREATE FUNCTION assent.write_batch(
    p_writer uuid, p_counter bigint, p_head bigint, p_clock bigint,
    p_moves text[], p_move_at integer[],
    p_orgs text[], p_counts integer[],
    p_org integer[], p_k integer[], p_prefix bytea[], p_suffix bytea[], p_body bytea[]
) RETURNS assent.answer
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
AS $$
DECLARE
    v_size integer := cardinality(p_org);
    v_bases bigint[];
    v_at timestamptz := clock_timestamp();
BEGIN
    WITH moved AS (
        INSERT INTO assent.organizations AS o (org, n)
        SELECT c.org, c.n FROM unnest(p_orgs, p_counts) AS c (org, n)
        ON CONFLICT (org) DO UPDATE SET n = o.n + excluded.n
        RETURNING o.org, o.n
    )
    SELECT array_agg(m.n - c.n ORDER BY c.place) INTO v_bases
      FROM unnest(p_orgs, p_counts) WITH ORDINALITY AS c (org, n, place) JOIN moved m USING (org);

    INSERT INTO assent.log (seq, batch, batch_size, org, n, leaf, header, body)
    SELECT p_head + e.place, p_head + 1, v_size, p_orgs[e.org], e.n, sha256('\x00'::bytea || e.header), e.header, e.body
      FROM (
        SELECT d.place, d.org, v_bases[d.org] + d.k AS n,
               d.prefix || (v_bases[d.org] + d.k)::text::bytea || d.suffix AS header, d.body
          FROM unnest(p_org, p_k, p_prefix, p_suffix, p_body) WITH ORDINALITY
               AS d (org, k, prefix, suffix, body, place)
        OFFSET 0
      ) AS e;

    IF cardinality(p_moves) > 0 THEN
        INSERT INTO assent.fences AS f (name, seq, at)
        SELECT m.name, p_head + m.place, v_at FROM unnest(p_moves, p_move_at) AS m (name, place)
        ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, at = excluded.at;
    END IF;
    UPDATE assent.log_head h SET seq = p_head + v_size WHERE h.one;
    UPDATE assent.writers w SET counter = p_counter, outcome = 'appended', head = p_head, clock = p_clock,
        bases = v_bases, overtaken = NULL, at = v_at WHERE w.writer = p_writer;
    RETURN ('appended', p_head, p_clock, v_bases, NULL)::assent.answer;
END $$;

-- All of it, or nothing: a fence that has moved since somebody read it is a conflict. p_after are the least places up
-- to which each name was read.
CREATE FUNCTION assent.append(
    p_writer uuid, p_counter bigint, p_earliest bigint, p_latest bigint, p_newest bigint,
    p_reads text[], p_after bigint[],
    p_moves text[], p_move_at integer[],
    p_orgs text[], p_counts integer[],
    p_org integer[], p_k integer[], p_prefix bytea[], p_suffix bytea[], p_body bytea[]
) RETURNS assent.answer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v assent.answer;
BEGIN
    v := assent.open_call(p_writer, p_counter, p_earliest, p_latest, p_newest);
    IF v.outcome IS NOT NULL THEN
        RETURN v;
    END IF;
    IF cardinality(p_reads) > 0 AND (
        EXISTS (SELECT FROM unnest(p_reads, p_after) AS r (name, after)
                 WHERE (SELECT f.seq FROM assent.fences f WHERE f.name = r.name) > r.after)
        OR (SELECT min(r.after) FROM unnest(p_after) AS r (after)) < (SELECT h.floor FROM assent.log_head h WHERE h.one)
    ) THEN
        v.outcome := 'conflict';
        RETURN v;
    END IF;
    RETURN assent.write_batch(p_writer, p_counter, v.head, v.clock, p_moves, p_move_at, p_orgs, p_counts,
                              p_org, p_k, p_prefix, p_suffix, p_body);
END $$;

-- As if each submission came alone, one after the other: takes those that nothing overtook, and says of the others what
-- did. Submissions count from 1; p_read_of, p_move_of and p_of say whose each name and each event is, in their order.
CREATE FUNCTION assent.append_each(
    p_writer uuid, p_counter bigint, p_earliest bigint, p_latest bigint, p_newest bigint, p_submissions integer,
    p_reads text[], p_read_of integer[], p_after bigint[],
    p_moves text[], p_move_of integer[],
    p_orgs text[],
    p_of integer[], p_org integer[], p_prefix bytea[], p_suffix bytea[], p_body bytea[]
) RETURNS assent.answer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
AS $$
DECLARE
    v assent.answer;
    v_floor bigint;
    v_by bigint;
    v_taken integer := 0;
    v_moved jsonb := '{}';
    v_overtaken bigint[] := '{}';
    v_counts integer[];
    v_place integer[];
    v_kept integer[];
BEGIN
    v := assent.open_call(p_writer, p_counter, p_earliest, p_latest, p_newest);
    IF v.outcome IS NOT NULL THEN
        RETURN v;
    END IF;
    SELECT h.floor INTO v_floor FROM assent.log_head h WHERE h.one;
    FOR i IN 1 .. p_submissions LOOP
        SELECT max(s.seq) INTO v_by FROM (
            SELECT greatest((SELECT f.seq FROM assent.fences f WHERE f.name = r.name),
                            (v_moved ->> r.name)::bigint,
                            CASE WHEN r.after < v_floor THEN v_floor END) AS seq, r.after
              FROM unnest(p_reads, p_read_of, p_after) AS r (name, of, after) WHERE r.of = i
        ) AS s WHERE s.seq > s.after;
        v_overtaken := v_overtaken || coalesce(v_by, 0);
        IF v_by IS NULL THEN
            v_taken := v_taken + (SELECT count(*) FROM unnest(p_of) AS d (of) WHERE d.of = i)::integer;
            v_moved := v_moved || coalesce((
                SELECT jsonb_object_agg(m.name, v.head + v_taken)
                  FROM unnest(p_moves, p_move_of) AS m (name, of) WHERE m.of = i), '{}');
        END IF;
    END LOOP;
    IF v_taken = 0 THEN
        UPDATE assent.writers w SET counter = p_counter, outcome = 'appended', head = v.head, clock = v.clock,
            bases = array_fill(0::bigint, ARRAY[cardinality(p_orgs)]), overtaken = v_overtaken,
            at = clock_timestamp() WHERE w.writer = p_writer;
        RETURN ('appended', v.head, v.clock, array_fill(0::bigint, ARRAY[cardinality(p_orgs)]), v_overtaken)::assent.answer;
    END IF;
    -- An organization of which nothing is left counts 0 and gets a base that nobody uses.
    SELECT array_agg(coalesce(c.n, 0) ORDER BY o.place) INTO v_counts
      FROM unnest(p_orgs) WITH ORDINALITY AS o (org, place)
      LEFT JOIN (SELECT d.org, count(*)::integer AS n FROM unnest(p_of, p_org) AS d (of, org)
                  WHERE v_overtaken[d.of] = 0 GROUP BY d.org) AS c ON c.org = o.place;
    SELECT array_agg(d.place::integer ORDER BY d.place),
           array_agg((d.k - 1)::integer ORDER BY d.place) INTO v_place, v_kept
      FROM (SELECT e.place, row_number() OVER (PARTITION BY e.org ORDER BY e.place) AS k
              FROM unnest(p_of, p_org) WITH ORDINALITY AS e (of, org, place) WHERE v_overtaken[e.of] = 0) AS d;
    v := assent.write_batch(
        p_writer, p_counter, v.head, v.clock,
        ARRAY(SELECT m.key FROM jsonb_each_text(v_moved) AS m ORDER BY m.key),
        ARRAY(SELECT (m.value::bigint - v.head)::integer FROM jsonb_each_text(v_moved) AS m ORDER BY m.key),
        p_orgs, v_counts,
        ARRAY(SELECT p_org[d.place] FROM unnest(v_place) WITH ORDINALITY AS d (place, at) ORDER BY d.at),
        v_kept,
        ARRAY(SELECT p_prefix[d.place] FROM unnest(v_place) WITH ORDINALITY AS d (place, at) ORDER BY d.at),
        ARRAY(SELECT p_suffix[d.place] FROM unnest(v_place) WITH ORDINALITY AS d (place, at) ORDER BY d.at),
        ARRAY(SELECT p_body[d.place] FROM unnest(v_place) WITH ORDINALITY AS d (place, at) ORDER BY d.at));
    v.overtaken := v_overtaken;
    UPDATE assent.writers w SET overtaken = v_overtaken WHERE w.writer = p_writer;
    RETURN v;
END $$;

-- Blanks bodies for good: as many spaces as there were bytes. How many were not blank before.
CREATE FUNCTION assent.blank(p_org text, p_n bigint[]) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    WITH blanked AS (
        UPDATE assent.log l SET body = repeat(' ', octet_length(l.body))::bytea
         WHERE l.org = p_org AND l.n = ANY (p_n) AND substring(l.body FROM 1 FOR 1) <> ' '::bytea
        RETURNING 1
    ) SELECT count(*) FROM blanked
$$;

-- Forgets fences that nothing has moved for so long, of at most p_most names after p_from; the last name that was looked
-- at, null at the end. Writers that said nothing for so long, and no less than a week, go as well.
CREATE FUNCTION assent.prune(p_from text, p_older interval, p_most integer) RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
AS $$
DECLARE
    v_last text;
    v_looked bigint;
    v_newest bigint;
BEGIN
    PERFORM FROM assent.log_head h WHERE h.one FOR NO KEY UPDATE;
    WITH page AS (
        SELECT f.name, f.at FROM assent.fences f WHERE f.name > p_from ORDER BY f.name LIMIT p_most
    ), gone AS (
        DELETE FROM assent.fences f USING page p WHERE f.name = p.name AND p.at < clock_timestamp() - p_older
        RETURNING f.seq
    )
    SELECT (SELECT max(p.name) FROM page p), (SELECT count(*) FROM page p), (SELECT max(g.seq) FROM gone g)
      INTO v_last, v_looked, v_newest;
    IF v_newest IS NOT NULL THEN
        UPDATE assent.log_head h SET floor = greatest(h.floor, v_newest) WHERE h.one;
    END IF;
    IF v_looked = p_most THEN
        RETURN v_last;
    END IF;
    DELETE FROM assent.writers w WHERE w.at < clock_timestamp() - greatest(p_older, interval '7 days');
    RETURN NULL;
END $$;

-- Puts an object there unless it is, and says what is there.
CREATE FUNCTION assent.put_object(p_kind text, p_name text, p_content bytea) RETURNS bytea
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO assent.objects (kind, name, content) VALUES (p_kind, p_name, p_content) ON CONFLICT DO NOTHING;
    -- A statement of its own, which sees what another transaction has put there meanwhile.
    RETURN (SELECT o.content FROM assent.objects o WHERE o.kind = p_kind AND o.name = p_name);
END $$;

-- Heads and keys stay: what was signed cannot be taken back.
CREATE FUNCTION assent.remove_object(p_kind text, p_name text) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF p_kind IN ('head', 'key') THEN
        RAISE EXCEPTION 'objects of kind % are kept for ever', p_kind;
    END IF;
    DELETE FROM assent.objects o WHERE o.kind = p_kind AND o.name = p_name;
END $$;

-- Takes the lease or renews it; who holds it then, and for how many seconds more.
CREATE FUNCTION assent.lease(p_name text, p_holder text, p_seconds double precision, OUT holder text, OUT seconds float8)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO assent.leases AS l (name, holder, until)
    VALUES (p_name, p_holder, clock_timestamp() + make_interval(secs => p_seconds))
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
      WHERE l.holder = excluded.holder OR l.until <= clock_timestamp();
    SELECT l.holder, extract(epoch FROM l.until - clock_timestamp())::float8 INTO holder, seconds
      FROM assent.leases l WHERE l.name = p_name;
END $$;

CREATE FUNCTION assent.release(p_name text, p_holder text) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ DELETE FROM assent.leases l WHERE l.name = p_name AND l.holder = p_holder $$;
