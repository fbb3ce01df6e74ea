import {
  type GraphQLEnumType,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isObjectType,
} from "graphql";
import type { Difference } from "../../domain/changes/differences.js";
import { RESOURCE_KINDS, RESOURCES, type ResourceKind, typeNameOf } from "../../domain/core/ids.js";
import { snakeCase } from "../../domain/core/names.js";
import { builder, type Types } from "./builder.js";

// The types that say what changed: of the change log and of the results of mutations.

export const ResourceType = builder.enumType("ResourceType", {
  description: "The kinds of resources.",
  values: Object.fromEntries(
    RESOURCE_KINDS.map((kind) => {
      const { name, prefix } = RESOURCES[kind];
      const value = {
        value: kind,
        description: `The kind ${name}; ids start with \`${prefix}_\`.`,
      };
      return [snakeCase(kind).toUpperCase(), value];
    }),
  ),
});

export const ChangeActionType = builder.enumType("ChangeAction", {
  description: "A change of a resource.",
  values: {
    CREATED: { value: "created", description: "The resource was created." },
    UPDATED: { value: "updated", description: "At least one field of the resource changed." },
    DELETED: { value: "deleted", description: "The resource was deleted." },
  } as const,
});

const DifferenceType = builder.objectRef<Difference>("Difference").implement({
  description: "One field in which two states of a resource differ.",
  fields: (t) => ({
    path: t.stringList({
      description:
        "The path to the field, such as `oauth`, `provider`, `github`, `clientId`. In a dry run `[new]` stands for the id of a new resource.",
      resolve: ({ path }) => [...path],
    }),
    before: t.expose("before", {
      type: "JSON",
      nullable: true,
      description:
        "The value before the change; null when it was not set. A secret is redacted to `[secret]`.",
    }),
    after: t.expose("after", {
      type: "JSON",
      nullable: true,
      description:
        "The value after the change; null when it is not set. A secret is redacted to `[secret]`. In a dry run `[new]` stands for what would be made up: the id of a new resource, a reserved address, the key of an SSH certificate authority.",
    }),
  }),
});

interface Changed {
  readonly kind: ResourceKind;
  readonly differences: readonly Difference[];
}

/** The fields that every change has, whether it was made or would be. */
export function changedFields<Change extends Changed>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, Change>,
) {
  return {
    type: t.field({
      type: ResourceType,
      description: "The kind of the resource.",
      resolve: ({ kind }) => kind,
    }),
    typename: t.string({
      description:
        "The name of the resource's type, such as `HttpsEdge`. With `resourceId` it finds the resource in the cache of a client, also after it was deleted.",
      resolve: ({ kind }) => typeNameOf(kind),
    }),
    differences: t.field({
      type: [DifferenceType],
      description:
        "Every field that differs, one entry for each single value. Secrets are redacted. For a route that was deleted with its edge, the entry of a module has only `enabled`.",
      resolve: ({ kind, differences }, _, __, { schema }) => {
        const type = schema.getType(typeNameOf(kind));
        return differences.map((difference) => withEnumNames(type, difference));
      },
    }),
  };
}

/** The difference with the values of enums as GraphQL spells them. */
function withEnumNames(type: GraphQLNamedType | undefined, difference: Difference): Difference {
  const names = enumNames(typeAt(type, difference.path));
  if (!names) return difference;
  const named = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(named) : (names.get(value) ?? value);
  return { ...difference, before: named(difference.before), after: named(difference.after) };
}

function typeAt(
  type: GraphQLNamedType | undefined,
  path: readonly string[],
): GraphQLNamedType | undefined {
  return path.reduce<GraphQLNamedType | undefined>((owner, name) => {
    const field = isObjectType(owner) ? owner.getFields()[name] : undefined;
    return field && getNamedType(field.type);
  }, type);
}

const namesByEnum = new WeakMap<GraphQLEnumType, ReadonlyMap<unknown, string>>();

/** The names of an enum by their values; null for any other type. */
function enumNames(type: GraphQLNamedType | undefined): ReadonlyMap<unknown, string> | null {
  if (!isEnumType(type)) return null;
  const known = namesByEnum.get(type);
  const names = known ?? new Map(type.getValues().map(({ name, value }) => [value, name]));
  if (!known) namesByEnum.set(type, names);
  return names;
}
