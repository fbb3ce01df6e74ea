/**
 * The container inside @peculiar/x509 refuses to load unless decorator metadata can be looked up, and
 * then has none to look up: so nothing is what is found. A real implementation that is there is kept.
 */
if (!("getMetadata" in Reflect)) {
  const nothing = () => undefined;
  Object.assign(Reflect, { getMetadata: nothing, getOwnMetadata: nothing });
}
