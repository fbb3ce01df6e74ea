import { z } from "zod";
import { DomainError, type Issue } from "../../domain/core/errors.js";
import { issuesOf } from "../../domain/core/fields.js";
import { quoted } from "../../domain/formats/yaml.js";
import { type PolicyOwner, problemsOfPolicy } from "../../domain/modules/traffic-policy.js";
import type { Endpoint } from "./contract.js";
import type { Body, Tolerance } from "./tolerances.js";

// Older clients give the traffic policy of a route, a TLS edge or a TCP edge as JSON: `policy` has `enabled`, and the
// rules of the phases `inbound` and `outbound`. It is a tolerance of REST, which becomes the module `trafficPolicy`;
// answers have only that.

const FIELD = "policy";
const MODULE = "trafficPolicy";
const PHASES = ["inbound", "outbound"] as const;

/** What the document says of the older form, which the rules take. */
const STRUCTURED_POLICY: Tolerance = {
  mend: (body) => body,
  adds: () => ({
    [FIELD]: {
      type: ["object", "null"],
      deprecated: true,
      description: "The older form of `traffic_policy`: the rules of its phases as JSON.",
      properties: {
        enabled: { type: ["boolean", "null"], description: "Whether the rules are applied." },
        inbound: {
          type: ["array", "null"],
          items: {},
          description: "The rules for what comes in.",
        },
        outbound: {
          type: ["array", "null"],
          items: {},
          description: "The rules for what goes out.",
        },
      },
      additionalProperties: false,
    },
  }),
};

/** Members that are named in a refusal. */
const MOST_NAMES = 5;

interface Inputs<Create, Update> {
  readonly create: z.ZodType<Create>;
  readonly update: z.ZodType<Update>;
}

/**
 * What a collection has for the inputs of an owner: rules for bodies that may have `policy` in place of `trafficPolicy`. Null is as if it were
 * absent. What is wrong with the policy is reported at `policy`, beside all other problems.
 */
export function withStructuredPolicy<Create, Update>(
  owner: PolicyOwner,
  { create, update }: Inputs<Create, Update>,
) {
  return {
    inputs: { create: takingPolicy(owner, create), update: takingPolicy(owner, update) },
    documented: { create, update },
    tolerates: { create: [STRUCTURED_POLICY], update: [STRUCTURED_POLICY] },
  };
}

function takingPolicy<Output>(owner: PolicyOwner, rule: z.ZodType<Output>): z.ZodType<Output> {
  return z.custom<Body>().transform((body, ctx): Output => {
    const { mended, issues } = mend(owner, body);
    const result = rule.safeParse(mended);
    const isGiven = mended[MODULE] !== body[MODULE];
    const found = result.success ? [] : issuesOf(result.error.issues);
    const refused = [
      ...issues,
      ...found.map((issue) => (isGiven && issue.path[0] === MODULE ? atPolicy(issue) : issue)),
    ];
    for (const { path, message, limit } of refused) {
      const params = limit === undefined ? {} : { params: { limit } };
      ctx.addIssue({ code: "custom", path: [...path], message, ...params });
    }
    return result.success && issues.length === 0 ? result.data : z.NEVER;
  });
}

interface Mended {
  readonly mended: Body;
  readonly issues: readonly Issue[];
}

/** The body with the module in place of the policy, or without either where that is refused. */
function mend(owner: PolicyOwner, { [FIELD]: policy, ...mended }: Body): Mended {
  if (policy === undefined || policy === null) return { mended, issues: [] };
  const problems = given(mended[MODULE])
    ? [`must not be given beside \`${MODULE}\`, which has taken its place`]
    : problemsOfShape(policy);
  if (problems.length > 0 || !isObject(policy)) {
    return { mended, issues: problems.map((message) => ({ path: [FIELD], message })) };
  }
  const phases = PHASES.flatMap((phase) =>
    hasRules(policy[phase]) ? [[phase, withoutUnset(policy[phase])] as const] : [],
  );
  const rules = Object.fromEntries(phases);
  const issues = problemsOfPolicy(rules, owner).map(
    ({ message, path }): Issue => ({
      path: [FIELD],
      message: path.length > 1 ? `${message} (at ${path.join(".")})` : message,
    }),
  );
  if (issues.length > 0) return { mended, issues };
  const module = { enabled: policy.enabled, value: JSON.stringify(rules) };
  return { mended: { ...mended, [MODULE]: module }, issues };
}

function problemsOfShape(policy: unknown): string[] {
  const elsewhere = `other policies are given as \`${MODULE}\``;
  if (!isObject(policy)) {
    return [`must be an object with "enabled", "inbound" and "outbound"; ${elsewhere}`];
  }
  const known: readonly string[] = ["enabled", ...PHASES];
  const unknown = Object.keys(policy).filter((name) => !known.includes(name));
  const { enabled } = policy;
  return [
    ...unknown
      .slice(0, MOST_NAMES)
      .map((name) => `must not have ${quoted(name)} beside "enabled", "inbound" and "outbound"`),
    ...(given(enabled) && typeof enabled !== "boolean"
      ? ['must have true or false as "enabled"']
      : []),
  ].map((problem) => `${problem}; ${elsewhere}`);
}

/** Null and an empty list are sent for a phase without rules, also where the owner does not have that phase. */
function hasRules(rules: unknown): boolean {
  return given(rules) && !(Array.isArray(rules) && rules.length === 0);
}

/** Null is sent for what a rule does not have. What is inside its actions belongs to the user. */
function withoutUnset(rules: unknown): unknown {
  if (!Array.isArray(rules)) return rules;
  return rules.map((rule: unknown) =>
    isObject(rule)
      ? Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== null))
      : rule,
  );
}

function atPolicy({ path: _, ...issue }: Issue): Issue {
  return { ...issue, path: [FIELD] };
}

function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Refuses the paths that the module had by that name, below the `path` of an owner, and names its own. */
export function formerPolicyEndpoints(path: string): Endpoint[] {
  return (["PUT", "GET", "DELETE"] as const).map((method) => ({
    method,
    path: `${path}/${FIELD}`,
    status: 200,
    operation: null,
    answer: null,
    handle() {
      throw new DomainError(
        "NOT_FOUND",
        `There is no module \`${FIELD}\`: use \`${MODULE}\`, whose path ends with that name.`,
      );
    },
  }));
}
