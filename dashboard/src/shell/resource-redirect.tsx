import { Link, Navigate, useParams } from "react-router";
import { useLiveQuery } from "../api/live.js";
import { problemOf } from "../api/problems.js";
import { EmptyState } from "../components/empty-state.js";
import { ReadingProblem } from "../components/problem-alert.js";
import { NodeDocument } from "../generated/operations.js";
import { pathOf } from "../resources/references.js";
import { Reading } from "./reading.js";

/** Leads to the page of the resource that an id names, whatever its kind is. */
export function ResourceRedirect() {
  const { id = "" } = useParams();
  const { data, error, fetching, stale } = useLiveQuery({ query: NodeDocument, variables: { id } });
  if (data?.node) return <Navigate to={pathOf(data.node)} replace />;
  if (fetching || stale) return <Reading />;
  if (error && problemOf(error).code !== "NOT_FOUND") {
    return <ReadingProblem error={error} title="This id was refused" />;
  }
  return (
    <EmptyState isWholePage title={`Nothing has the id ${id}`}>
      It was deleted, or it never was.{" "}
      <Link to={`/changes?ids=${encodeURIComponent(id)}`}>Its history</Link> tells.
    </EmptyState>
  );
}
