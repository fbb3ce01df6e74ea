/** Whether resources of a type are nodes of the map. */
export function isOnMap(typename: string): boolean {
  return (
    ["HttpsEdge", "HttpsEdgeRoute", "TlsEdge", "TcpEdge"].includes(typename) ||
    typename.endsWith("Backend")
  );
}

/** The path of the map that is about one of its nodes. */
export function mapPathOf(id: string): string {
  return `/map?focus=${id}`;
}
