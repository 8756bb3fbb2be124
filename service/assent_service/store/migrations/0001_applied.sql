-- Where in the log the tables stand, changed in the same transaction as the tables themselves.
CREATE TABLE applied (
    seq BIGINT NOT NULL,       -- last event applied
    segment BIGINT NOT NULL,   -- first seq of the segment file that holds the next event
    position BIGINT NOT NULL,  -- offset of the next event in that file
    counts JSON NOT NULL       -- next event number of each organization
);
INSERT INTO applied VALUES (0, 1, 0, '{}');
