import fc from "fast-check";
import { type GraphQLInputType, getNamedType, isEnumType, isInputObjectType } from "graphql";
import { kindOfId, typeNameOf } from "../../../src/domain/core/ids.js";
import type { Fields } from "../transports.js";
import { cursorOf } from "./lists.js";
import type { Draw } from "./selections.js";
import type { World } from "./world.js";

// Arguments of lists that find some of the resources of a world.

/** Cursors of the resources of a type or of its connection, in the order by a field. */
export function placesOf(world: World, type: string, field = "CREATED_AT"): string[] {
  const wanted = type.replace(/Connection$/, "");
  const isOf = (id: string) => {
    const kind = kindOfId(id);
    return (
      kind !== null && (typeNameOf(kind) === wanted || (wanted === "Backend" && /^bkd/.test(id)))
    );
  };
  const items = [...world.rows.values()].filter(({ id }) => isOf(id));
  return items.map((item) => cursorOf(item, field));
}

const IDS: Readonly<Record<string, string>> = {
  edgeId: "HttpsEdge",
  backendId: "Backend",
  certificateId: "TlsCertificate",
  endpointConfigurationId: "EndpointConfiguration",
  ipPolicyId: "IpPolicy",
  sshCertificateAuthorityId: "SshCertificateAuthority",
};

const TEXTS: Readonly<Record<string, readonly string[]>> = {
  search: ["alpha", "TEAM", "one", "[gamma]", "nothing has it", "HA", "m:", "w", "a.b", " ", ""],
  matchPrefix: ["/", "/1", "/2/", ""],
  match: ["/1/1", "/0/4", "/none", ""],
  aclRule: ["bind:*.example.com", "bind:a.example.com", "bind:none.example", ""],
  ownerId: ["ci", "nobody", ""],
  principal: ["root", "ci", "none", ""],
  hostport: ["a.example:443", "A.EXAMPLE:443", "[2001:db8::A]:443", "none.example:1", ""],
  addr: ["none.example:1", ""],
  address: ["A:1", "b:2", "none.example:1", ""],
  domain: ["A.example", "b.example", "none.example", ""],
  dnsName: ["A.example", "b.example", "*.example", "example.org", ""],
  cidr: ["10.0.0.0/8", ""],
  createdAfter: ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"],
  createdBefore: ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"],
  updatedAfter: ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z", ""],
  updatedBefore: ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z", ""],
  expiringBefore: ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"],
};

/** Some members of a filter. */
export function filterOf(draw: Draw, world: World, type: GraphQLInputType): Fields {
  const input = getNamedType(type);
  if (!isInputObjectType(input)) throw new Error("A filter is an object.");
  const fields = Object.values(input.getFields()).filter(({ name }) => name !== "validAt");
  const some = draw(fc.subarray(fields, { minLength: 1, maxLength: 2 }));
  // Together with a kind, ids of other kinds are refused.
  const hasKind = some.some(({ name }) => name === "kind");
  const drawn = some.filter(({ name }) => !(hasKind && name === "ids"));
  const members = drawn.map(({ name, type }) => [
    name,
    memberOf(draw, world, input.name, name, type),
  ]);
  return Object.fromEntries(members);
}

function memberOf(draw: Draw, world: World, filter: string, name: string, type: GraphQLInputType) {
  const some = (values: readonly string[]) => draw(fc.constantFrom(...values));
  const named = getNamedType(type);
  if (name === "ids") {
    const all = placesOf(world, filter.replace(/Filter$/, ""));
    return draw(fc.subarray(all));
  }
  const of = IDS[name];
  if (of) return some(placesOf(world, of));
  if (TEXTS[name]) return some(TEXTS[name]);
  if (isEnumType(named)) return some(named.getValues().map(({ name }) => name));
  if (named.name === "Boolean") return draw(fc.boolean());
  if (!isInputObjectType(named)) throw new Error(`No value is known for ${filter}.${name}.`);
  const kind = getNamedType(named.getFields().kind?.type);
  if (!isEnumType(kind)) throw new Error("A module has a kind.");
  const isEmpty = draw(fc.nat(9)) === 0;
  if (isEmpty) return draw(fc.constantFrom({}, { kind: null }, { enabled: null }));
  return {
    kind: some(kind.getValues().map(({ name }) => name)),
    enabled: draw(fc.constantFrom(true, false, null)),
  };
}
