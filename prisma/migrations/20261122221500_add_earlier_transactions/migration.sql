-- How many transactions other databases had counted whose rows this one took over: src/domain/changes/continuation.ts makes
-- it anew with another number.
CREATE FUNCTION "earlier_transactions"() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS 'SELECT 0::bigint';
