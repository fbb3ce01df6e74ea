import { z } from "zod";
import { RESOURCES, type ResourceKind } from "../../domain/core/ids.js";
import { snakeCase } from "../../domain/core/names.js";
import type { NamedField, NamedFields, Subject } from "../../domain/expressions/fields.js";
import type { Plain } from "../../domain/reads/fields.js";
import { fieldsOf } from "../../domain/reads/tables.js";
import { domainName } from "./wire.js";

// What the expressions of `filter` can name: what an answer shows, as far as it is plain.

/**
 * The fields of an answer that are plain values of the domain, by their names on the wire. A resource that is shown as
 * `{id, uri}` has its `id`, which can also be named as requests do, such as `ip_policy_id`; a list of such resources is
 * named as in requests alone, such as `ip_policy_ids`. Modules, documents and secrets are no plain values.
 */
export function filterOf(kind: ResourceKind, answer: z.ZodType): Subject {
  const shown = answer instanceof z.ZodObject ? Object.keys(answer.shape) : [];
  const fields = fieldsOf(RESOURCES[kind].table);
  const named = new Map<string, NamedField>();
  for (const name of shown) {
    const plain = fields[domainName(name)]?.plain;
    const id = fields[`${domainName(name)}Id`]?.plain;
    if (plain) named.set(name, onWire(plain));
    else if (id?.type === "text") {
      named.set(name, { type: "reference", id });
      named.set(`${name}_id`, id);
    }
  }
  for (const [name, { plain }] of Object.entries(fields)) {
    const wireName = snakeCase(name);
    if (plain?.type === "ids" && wireName.endsWith("_ids")) named.set(wireName, plain);
  }
  return { kind, fields: named };
}

function onWire(plain: Plain): NamedField {
  if (plain.type !== "object") return plain;
  const members = Object.entries(plain.members).map(
    ([name, member]) => [snakeCase(name), onWire(member)] as const,
  );
  return { type: "object", members: new Map(members) };
}

/** The names of all fields, with the members of objects, in the order of the answer. */
export function namesOf(fields: NamedFields): string[] {
  return [...fields].flatMap(([name, field]) => {
    if (field.type === "object") return namesOf(field.members).map((member) => `${name}.${member}`);
    return field.type === "reference" ? [`${name}.id`] : [name];
  });
}
