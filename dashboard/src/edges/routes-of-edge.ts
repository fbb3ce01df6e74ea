import { useMemo } from "react";
import { useAllPages } from "../api/all-pages.js";
import { RoutesOfEdgeDocument, type RoutesOfEdgeQuery } from "../generated/operations.js";
import { byMatchOrder } from "./match-order.js";

/** All routes of an HTTPS edge in the order in which they are tried; null until they were read. */
export function useRoutesOfEdge(edgeId: string) {
  const { items, error } = useAllPages(RoutesOfEdgeDocument, edgeId, pageOf);
  const routes = useMemo(() => items && [...items].sort(byMatchOrder), [items]);
  return { routes, error };
}

function pageOf({ httpsEdge }: RoutesOfEdgeQuery) {
  return httpsEdge?.routes;
}
