import { Fragment } from "react";
import type { Reference } from "../resources/references.js";
import { ReferenceLink } from "./reference-link.js";

/** Links to resources, in their order. */
export function ReferenceList({ to }: { readonly to: readonly Reference[] }) {
  return to.map((resource, index) => (
    <Fragment key={resource.id}>
      {index > 0 && ", "}
      <ReferenceLink to={resource} />
    </Fragment>
  ));
}
