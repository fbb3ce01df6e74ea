import { Anchor } from "@mantine/core";
import { Link } from "react-router";
import { nameOf, pathOf, type Reference } from "../resources/references.js";

/** A link to the page of a resource, with its name. */
export function ReferenceLink({ to }: { readonly to: Reference }) {
  return (
    <Anchor component={Link} to={pathOf(to)} inherit style={{ overflowWrap: "anywhere" }}>
      {nameOf(to)}
    </Anchor>
  );
}
