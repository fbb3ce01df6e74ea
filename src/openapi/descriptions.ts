import {
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from "graphql";
import { camelCase, snakeCase } from "../domain/core/names.js";
import { type Components, type JsonSchema, SCHEMAS } from "./schemas.js";

// Each field is described once, in the GraphQL schema; here these texts are spelled as REST spells names and values.

/** What the GraphQL schema does not have. */
const OWN: Readonly<Record<string, string>> = {
  uri: "The URL of the resource.",
  edge_id: "The id of the HTTPS edge.",
  backend_id: "The id of the backend.",
  next_page_uri: "The URL of the next page; null on the last one.",
  event_streams: "Empty: there are no event streams here.",
  tunnels: "Empty: tunnels belong to the traffic plane.",
  ip_policy: "Restricts the source addresses that may connect.",
  webhook_validation: "Allows only requests that the webhook provider signed.",
  ssh_certificate_authority_id: "The id of the SSH certificate authority that signed it.",
  ns_targets: "Empty: the domain is not delegated from here.",
  region_domains: "Empty: who serves the domain knows them.",
  certificate_management_status: "Null: no certificate is issued here.",
  cname_target: "Null: who answers for the domain says where it points.",
  acme_challenge_cname_target: "Null: no certificate is requested here.",
  id: "The id of the resource.",
};

/** What is known of the schema of a name. */
interface Kinds {
  /** The type of GraphQL with its descriptions. */
  typeOf(name: string): string;
  isInput(name: string): boolean;
  isUpdate(name: string): boolean;
  /** What it is, where GraphQL has no such type. */
  aboutOf(name: string): string;
}

/** Where null means another thing in REST than in GraphQL: there it clears, or is that nothing is set. */
const UPDATE =
  'A field that is absent or null keeps its value, and "" clears a text. A list, map or module that is given replaces the old one.';
const OF_NULL = /; null means [^.;]*/;
/** What GraphQL says of REST. */
const OF_REST = ", the same as over REST";

/** `components` with the descriptions of the types that `typesOf` gives for their names. */
export function described(
  components: Components,
  schema: GraphQLSchema,
  { typeOf, isInput, isUpdate, aboutOf }: Kinds,
): Components {
  const found = new Map<string, JsonSchema>();
  const types = new Map<string, string>(
    Object.keys(components).map((name) => [name, typeOf(name)]),
  );
  const enums = enumValues(schema);

  const describe = (json: JsonSchema, typeName: string | undefined, input: boolean): JsonSchema => {
    const type = typeName === undefined ? undefined : schema.getType(typeName);
    const fields =
      isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
        ? type.getFields()
        : {};
    if (json.$ref?.startsWith(SCHEMAS) && typeName) {
      const name = json.$ref.slice(SCHEMAS.length);
      if (!schema.getType(types.get(name) ?? "")) types.set(name, typeName);
      visit(name);
    }
    const member = (name: string, property: JsonSchema): JsonSchema => {
      const field = fields[camelCase(name)];
      const own = field?.description
        ? spelled(field.description, enums)
        : (property.description ?? OWN[name]);
      const text = input ? own?.replace(OF_NULL, "") : own;
      const inner = describe(property, field && getNamedType(field.type).name, input);
      return text === undefined ? inner : { ...inner, description: text };
    };
    return {
      ...json,
      ...(json.properties && {
        properties: Object.fromEntries(
          Object.entries(json.properties).map(([name, property]) => [name, member(name, property)]),
        ),
      }),
      ...(json.items && { items: describe(json.items, typeName, input) }),
      ...(json.anyOf && { anyOf: json.anyOf.map((each) => describe(each, typeName, input)) }),
    };
  };

  const visit = (name: string): void => {
    const json = components[name];
    if (!json || found.has(name)) return;
    const typeName = types.get(name) ?? "";
    const type = schema.getType(typeName);
    const own = type?.description ? spelled(type.description, enums) : aboutOf(name);
    const description = isUpdate(name) ? UPDATE : own;
    found.set(name, {});
    found.set(name, { description, ...describe(json, typeName, isInput(name)) });
  };
  // Those that have a type by their own name, then those whose type is known where others refer to them.
  const names = Object.keys(components);
  for (const name of names) if (schema.getType(types.get(name) ?? "")) visit(name);
  for (const name of names) visit(name);
  return Object.fromEntries(names.map((name) => [name, found.get(name) ?? {}]));
}

/** The values of all enumerations, by their names in GraphQL. */
function enumValues(schema: GraphQLSchema): ReadonlyMap<string, unknown> {
  const values = Object.values(schema.getTypeMap())
    .filter(isEnumType)
    .flatMap((type) => type.getValues());
  return new Map(values.map(({ name, value }) => [name, value]));
}

/** A text of GraphQL with the names and values in it as REST spells them. */
function spelled(text: string, enums: ReadonlyMap<string, unknown>): string {
  return text.replace(OF_REST, "").replace(/`([A-Za-z0-9_.]+)`/g, (_, name: string) => {
    const value = enums.get(name);
    return `\`${value === undefined ? snakeCase(name) : value}\``;
  });
}
