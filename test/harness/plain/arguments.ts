import fc from "fast-check";
import { type GraphQLInputType, getNamedType, isEnumType, isInputObjectType } from "graphql";
import { kindOfId } from "../../../src/domain/core/ids.js";
import { typeNameOf } from "../../../src/schema/builder/builder.js";
import type { Fields } from "../transports.js";
import { cursorOf } from "./lists.js";
import type { Draw } from "./selections.js";
import type { World } from "./world.js";

// Arguments of lists that find some of the resources of a world.

/** Cursors of the resources of a type or of its connection; ids but for the order by description. */
export function placesOf(world: World, type: string, byDescription: boolean): string[] {
  const wanted = type.replace(/Connection$/, "");
  const isOf = (id: string) => {
    const kind = kindOfId(id);
    return (
      kind !== null && (typeNameOf(kind) === wanted || (wanted === "Backend" && /^bkd/.test(id)))
    );
  };
  const items = [...world.rows.values()].filter(({ id }) => isOf(id));
  return items.map((item) => cursorOf(item, byDescription));
}

const IDS: Readonly<Record<string, string>> = {
  edgeId: "HttpsEdge",
  backendId: "Backend",
  endpointConfigurationId: "EndpointConfiguration",
  ipPolicyId: "IpPolicy",
  sshCertificateAuthorityId: "SshCertificateAuthority",
};

const TEXTS: Readonly<Record<string, readonly string[]>> = {
  search: ["alpha", "TEAM", "one", "[gamma]", "nothing has it"],
  matchPrefix: ["/", "/1", "/2/"],
  match: ["/1/1", "/0/4", "/none"],
  principal: ["root", "ci", "none"],
  createdAfter: ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"],
  createdBefore: ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"],
  expiringBefore: ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"],
};

/** Some members of a filter. */
export function filterOf(draw: Draw, world: World, type: GraphQLInputType): Fields {
  const input = getNamedType(type);
  if (!isInputObjectType(input)) throw new Error("A filter is an object.");
  const fields = Object.values(input.getFields()).filter(
    ({ name }) => name !== "hostport" && name !== "validAt" && name !== "cidr",
  );
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
    const all = placesOf(world, filter.replace(/Filter$/, ""), false);
    return draw(fc.subarray(all));
  }
  const of = IDS[name];
  if (of) return some(placesOf(world, of, false));
  if (TEXTS[name]) return some(TEXTS[name]);
  if (isEnumType(named)) return some(named.getValues().map(({ name }) => name));
  if (!isInputObjectType(named)) return draw(fc.boolean());
  const kind = getNamedType(named.getFields().kind?.type);
  if (!isEnumType(kind)) throw new Error("A module has a kind.");
  return {
    kind: some(kind.getValues().map(({ name }) => name)),
    enabled: draw(fc.constantFrom(true, false, null)),
  };
}
