import { Section } from "../components/section.js";
import { BackendChildrenOf } from "./backend-tree.js";

/** The backends of a failover backend, in order. */
export function FailoverExtras({ item }: { readonly item: { readonly id: string } }) {
  return (
    <Section title="Tries in this order">
      <BackendChildrenOf id={item.id} />
    </Section>
  );
}

/** The backends of a weighted backend, with their shares. */
export function WeightedExtras({ item }: { readonly item: { readonly id: string } }) {
  return (
    <Section title="Spreads requests over">
      <BackendChildrenOf id={item.id} />
    </Section>
  );
}
