import { Link, Navigate, useParams } from "react-router";
import { useQuery } from "urql";
import { EmptyState } from "../components/empty-state.js";
import { NodeDocument } from "../generated/operations.js";
import { pathOf } from "../resources/references.js";
import { Reading } from "./reading.js";

/** Leads to the page of the resource that an id names, whatever its kind is. */
export function ResourceRedirect() {
  const { id = "" } = useParams();
  const [{ data, fetching }] = useQuery({ query: NodeDocument, variables: { id } });
  if (fetching) return <Reading />;
  if (data?.node) return <Navigate to={pathOf(data.node)} replace />;
  return (
    <EmptyState isWholePage title={`Nothing has the id ${id}`}>
      It was deleted, or it never was.{" "}
      <Link to={`/changes?ids=${encodeURIComponent(id)}`}>Its history</Link> tells.
    </EmptyState>
  );
}
