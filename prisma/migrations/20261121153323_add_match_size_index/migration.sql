-- What Prisma cannot say.

-- The hostname of a route's match as it is compared, empty when there is none.
CREATE FUNCTION "match_host"(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(split_part($1, '/', 1) COLLATE "C");

-- Tells which lengths there are among the matches of an edge for a hostname, and finds one of a length.
CREATE INDEX "https_edge_routes_edge_id_host_size_key_idx" ON "https_edge_routes"("edge_id", "match_host"("match") COLLATE "C", length("match"), "match_key"("match") COLLATE "C");

DROP INDEX "https_edge_routes_edge_id_match_key_idx";
