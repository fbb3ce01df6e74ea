import type { Context } from "./core/context.js";
import type { EndpointConfigurationType } from "./core/enumerations.js";
import type { Issue } from "./core/errors.js";
import { danglingReferences } from "./storage/reference-checks.js";

/** The type that an endpoint configuration needs, by the field of the input that has its id. */
export type FittingTypes = Readonly<Record<string, EndpointConfigurationType>>;

/**
 * An issue for each id in `input` of what does not exist, and for each of an endpoint configuration whose type is not
 * the one in `fitting`.
 */
export async function unfitReferences<Fitting extends FittingTypes>(
  context: Context,
  input: { readonly [Field in keyof Fitting]?: string | null | undefined },
  fitting: Fitting,
): Promise<Issue[]> {
  const given = Object.entries<EndpointConfigurationType>(fitting).flatMap(([field, type]) => {
    const id = input[field];
    return id == null ? [] : [{ field, type, id }];
  });
  const dangling = await danglingReferences(context, input);
  if (given.length === 0) return dangling;
  const found = await context.db.endpointConfiguration.findMany({
    where: { id: { in: given.map(({ id }) => id) } },
    select: { id: true, type: true },
  });
  const types = new Map(found.map(({ id, type }) => [id, type]));
  const unfit = given.filter(({ id, type }) => types.has(id) && types.get(id) !== type);
  return [
    ...dangling,
    ...unfit.map(({ field, type, id }) => ({
      path: [field],
      message: `must be an endpoint configuration of type ${type}, and this one is of type ${types.get(id)}`,
    })),
  ];
}
