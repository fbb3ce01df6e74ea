// What unmodified clients send that is no input of ours (wire facts, Part 3): each turns a body, in the domain's
// spelling, into one for the rule. GraphQL has none of this.

export type Body = Readonly<Record<string, unknown>>;

export type Tolerance = (body: Body) => Body;

/** `body` after all of `tolerances`. */
export function mended(body: Body, tolerances: readonly Tolerance[] = []): Body {
  return tolerances.reduce((mended, tolerance) => tolerance(mended), body);
}

/** Fields that mean nothing here are left out. */
export function ignored(...fields: readonly string[]): Tolerance {
  return (body) => without(body, (name) => fields.includes(name));
}

/** A field by the name that it had in older clients; the newer name counts more when both are given. */
export function renamed(old: string, field: string): Tolerance {
  return (body) => {
    if (!(old in body)) return body;
    const { [old]: value, ...others } = body;
    return isUnset(others[field]) ? { ...others, [field]: value } : others;
  };
}

/** An empty list is sent for one that nobody set: it leaves the field as it is. */
export function emptyListLeaves(...fields: readonly string[]): Tolerance {
  return (body) =>
    without(
      body,
      (name, value) => fields.includes(name) && Array.isArray(value) && value.length === 0,
    );
}

/** Times that are numbers count seconds since 1970: a fraction is cut, and 0 is unset. */
export function epochSeconds(...fields: readonly string[]): Tolerance {
  return (body) =>
    Object.fromEntries(
      Object.entries(body).map(([name, value]) => [
        name,
        fields.includes(name) && typeof value === "number" ? timeAt(Math.trunc(value)) : value,
      ]),
    );
}

/** In RFC 3339; a number that is no time stays one, which the rule refuses. */
function timeAt(seconds: number): string | number | null {
  if (seconds === 0) return null;
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? seconds : time.toISOString();
}

/** `body` with only the fields that are not left out. */
export function without(body: Body, isLeftOut: (name: string, value: unknown) => boolean): Body {
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !isLeftOut(name, value)),
  );
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
