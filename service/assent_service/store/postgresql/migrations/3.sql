-- Version 3: a version says which programs serve from it, so that those of before go on beside a newer one.

-- oldest: the least version of a program that may serve from this one; null: only a program of this version.
ALTER TABLE assent.schema_version ADD COLUMN oldest integer;
