-- What Prisma cannot say. Statements are told apart by their semicolons, so no function body has one.

-- A hostport as it is compared: in lower case, and an IPv6 address in its shortest form.
CREATE FUNCTION "hostport_key"(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN $1 LIKE '[%'
  THEN '[' || host(substr(split_part($1, ']', 1), 2)::inet) || ']' || split_part($1, ']', 2)
  ELSE lower($1 COLLATE "C") END;

CREATE FUNCTION "hostport_keys"(text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT "hostport_key"("hostport") FROM unnest($1) AS "given"("hostport"));

CREATE INDEX "https_edges_hostport_keys_idx" ON "https_edges" USING GIN ("hostport_keys"("hostports")) WITH (gin_pending_list_limit = 64);
CREATE INDEX "tls_edges_hostport_keys_idx" ON "tls_edges" USING GIN ("hostport_keys"("hostports")) WITH (gin_pending_list_limit = 64);

-- A route's match as it is compared: with its hostname, if it has one, in lower case.
CREATE FUNCTION "match_key"(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(split_part($1, '/', 1) COLLATE "C") || substr($1, length(split_part($1, '/', 1)) + 1);

CREATE INDEX "https_edge_routes_edge_id_match_key_idx" ON "https_edge_routes"("edge_id", "match_key"("match") COLLATE "C");
