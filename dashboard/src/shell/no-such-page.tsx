import { Link } from "react-router";
import { EmptyState } from "../components/empty-state.js";
import { useTitle } from "./title.js";

export function NoSuchPage() {
  useTitle("No such page");
  return (
    <EmptyState isWholePage title="There is no such page">
      The <Link to="/">overview</Link> leads to all of them.
    </EmptyState>
  );
}
