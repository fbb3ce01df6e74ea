import { Button, Menu } from "@mantine/core";
import { ChevronDown } from "lucide-react";
import { Link } from "react-router";
import { BackendListDocument } from "../generated/operations.js";
import { ListPage } from "../lists/list-page.js";
import { kindOf } from "../resources/kinds.js";
import { titleOf } from "../resources/references.js";
import { capitalized } from "../words.js";

const TYPES = [
  "StaticBackend",
  "HttpResponseBackend",
  "TunnelGroupBackend",
  "FailoverBackend",
  "WeightedBackend",
];

/** The backends of all kinds in one list. */
export function BackendsPage() {
  return (
    <ListPage
      resource={{
        kind: { typename: "Backend", path: "backends", singular: "backend", plural: "backends" },
        purpose: "A backend is where requests go.",
        list: BackendListDocument,
        columns: [
          { header: "Kind", show: ({ __typename }) => capitalized(kindOf(__typename).singular) },
          { header: "Where", show: (backend) => titleOf(backend) },
        ],
      }}
      create={<NewBackend />}
    />
  );
}

function NewBackend() {
  return (
    <Menu>
      <Menu.Target>
        <Button rightSection={<ChevronDown size={16} aria-hidden />}>New backend</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {TYPES.map(kindOf).map(({ path, singular }) => (
          <Menu.Item key={path} component={Link} to={`/${path}/new`}>
            {capitalized(singular)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
