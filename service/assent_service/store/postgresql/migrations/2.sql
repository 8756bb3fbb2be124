-- Version 2: a fence says who moved it, so that a writer can rest on its being the only one that does.

-- writer: who moved it last; null for fences of version 1. others: the newest event of another writer that moved it.
ALTER TABLE assent.fences ADD COLUMN writer uuid, ADD COLUMN others bigint NOT NULL DEFAULT 0;

DROP FUNCTION assent.append(
    uuid, bigint, bigint, bigint, bigint, text[], bigint[], text[], integer[], text[], integer[], integer[], integer[], bytea[], bytea[], bytea[]
);
DROP FUNCTION assent.append_each(
    uuid, bigint, bigint, bigint, bigint, integer, text[], integer[], bigint[], text[], integer[], text[], integer[], integer[], bytea[], bytea[], bytea[]
);

-- Numbers, hashes and writes a batch whose conditions hold, moves its fences, and keeps the answer. Called with the head
-- locked. Event i is of organization p_orgs[p_org[i]] and the p_k[i]-th (from 0) of it here; its header is p_prefix,
-- its n and p_suffix. p_move_at is the place in the batch of the event that moves the fence.
CREATE OR REPLACE FUNCTION assent.write_batch(
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
        INSERT INTO assent.fences AS f (name, seq, at, writer)
        SELECT m.name, p_head + m.place, v_at, p_writer FROM unnest(p_moves, p_move_at) AS m (name, place)
        ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, at = excluded.at, writer = excluded.writer,
            others = CASE WHEN f.writer = excluded.writer THEN f.others ELSE f.seq END;
    END IF;
    UPDATE assent.log_head h SET seq = p_head + v_size WHERE h.one;
    UPDATE assent.writers w SET counter = p_counter, outcome = 'appended', head = p_head, clock = p_clock,
        bases = v_bases, overtaken = NULL, at = v_at WHERE w.writer = p_writer;
    RETURN ('appended', p_head, p_clock, v_bases, NULL)::assent.answer;
END $$;

-- All of it, or nothing: a fence that has moved since somebody read it is a conflict. p_after are the least places up
-- to which each name was read; where p_own is 1, only what other writers moved counts.
CREATE FUNCTION assent.append(
    p_writer uuid, p_counter bigint, p_earliest bigint, p_latest bigint, p_newest bigint,
    p_reads text[], p_after bigint[], p_own integer[],
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
        EXISTS (SELECT FROM unnest(p_reads, p_after, p_own) AS r (name, after, own)
                 WHERE (SELECT CASE WHEN r.own = 1 AND f.writer = p_writer THEN f.others ELSE f.seq END
                          FROM assent.fences f WHERE f.name = r.name) > r.after)
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
    p_reads text[], p_read_of integer[], p_after bigint[], p_own integer[],
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
            SELECT greatest((SELECT CASE WHEN r.own = 1 AND f.writer = p_writer THEN f.others ELSE f.seq END
                               FROM assent.fences f WHERE f.name = r.name),
                            CASE WHEN r.own = 0 THEN (v_moved ->> r.name)::bigint END,
                            CASE WHEN r.after < v_floor THEN v_floor END) AS seq, r.after
              FROM unnest(p_reads, p_read_of, p_after, p_own) AS r (name, of, after, own) WHERE r.of = i
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
