-- What Prisma cannot say.

-- Where a match is looked up: the edge, and the match's hostname as it is compared, empty when there is none.
CREATE FUNCTION "match_scope"(text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN $1 || '/' || lower(split_part($2, '/', 1) COLLATE "C");

-- Tells which lengths there are among the matches of a scope, and finds one of a length. Its first column is one
-- that no other index has, so that none is taken in its place while the statistics know nothing of new routes.
CREATE INDEX "https_edge_routes_scope_size_key_idx" ON "https_edge_routes"("match_scope"("edge_id", "match") COLLATE "C", length("match"), "match_key"("match") COLLATE "C");

DROP INDEX "https_edge_routes_edge_id_match_key_idx";
