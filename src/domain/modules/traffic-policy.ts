import { z } from "zod";
import { requiredText } from "../core/fields.js";
import { quoted, readYaml, type YamlDocument } from "../formats/yaml.js";
import { enabled } from "./enabled.js";
import { plainModule } from "./module.js";

export const MAX_POLICY_BYTES = 65_536;
/** Problems of one policy that are listed. */
const MAX_PROBLEMS = 20;

interface Owner {
  readonly name: string;
  /** When rules run there; `inbound` and `outbound` are the older names. */
  readonly phases: readonly string[];
}

const CONNECTION_PHASES = ["on_tcp_connect", "inbound"];

/** The kinds of resources that carry the module. */
const OWNERS = {
  httpsEdgeRoute: {
    name: "an HTTPS edge",
    phases: ["on_http_request", "on_http_response", "inbound", "outbound"],
  },
  tlsEdge: { name: "a TLS edge", phases: CONNECTION_PHASES },
  tcpEdge: { name: "a TCP edge", phases: CONNECTION_PHASES },
} satisfies Record<string, Owner>;

export type PolicyOwner = keyof typeof OWNERS;

const ENABLED = "enabled";

function policyFor(owner: PolicyOwner) {
  const value = requiredText(MAX_POLICY_BYTES).superRefine((text, ctx) => {
    if (text === "" || Buffer.byteLength(text) > MAX_POLICY_BYTES) return;
    const document = readYaml(text);
    if ("problem" in document) {
      ctx.addIssue(document.problem);
      return;
    }
    for (const { message, path } of problemsOfPolicy(document.value, owner)) {
      ctx.addIssue(`${message} (${document.position(path)})`);
    }
  });
  return plainModule(
    z.strictObject({ enabled, value }),
    z.object({ enabled: z.boolean(), value: z.string() }),
  );
}

interface Problem {
  readonly message: string;
  /** Where in the policy. */
  readonly path: Parameters<YamlDocument["position"]>[0];
}

/** What is wrong with the phases and rules of a policy of an owner: at most 20 problems. */
export function problemsOfPolicy(policy: unknown, owner: PolicyOwner): readonly Problem[] {
  return policyProblems(policy, OWNERS[owner]).slice(0, MAX_PROBLEMS);
}

function policyProblems(policy: unknown, owner: Owner): Problem[] {
  if (!isMapping(policy)) {
    return [{ message: "must be a mapping of phases to lists of rules", path: [] }];
  }
  return Object.entries(policy).flatMap(([key, value]) => {
    const path = [key];
    if (owner.phases.includes(key)) return phaseProblems(value, key);
    if (key !== ENABLED) {
      const supported = [ENABLED, ...owner.phases].map((name) => `"${name}"`).join(", ");
      const message = `must not have ${quoted(key)}; supported on ${owner.name} are ${supported}`;
      return [{ message, path }];
    }
    return typeof value === "boolean"
      ? []
      : [{ message: `must have true or false as "${ENABLED}"`, path }];
  });
}

function phaseProblems(rules: unknown, phase: string): Problem[] {
  if (!Array.isArray(rules)) {
    return [{ message: `must have an array of rules as "${phase}"`, path: [phase] }];
  }
  return rules.flatMap((rule: unknown, index) => ruleProblems(rule, [phase, index]));
}

function ruleProblems(rule: unknown, path: readonly (string | number)[]): Problem[] {
  if (!isMapping(rule)) return [{ message: "must have rules that are mappings", path }];
  const { actions, expressions = [] } = rule;
  const problems: Problem[] = [];
  if (!Array.isArray(actions) || actions.length === 0) {
    const message = 'must have rules with a non-empty list of "actions"';
    problems.push({ message, path: [...path, "actions"] });
  } else {
    actions.forEach((action: unknown, index) => {
      if (isMapping(action) && typeof action.type === "string" && action.type !== "") return;
      const message = 'must have actions that are mappings with a string as "type"';
      problems.push({ message, path: [...path, "actions", index] });
    });
  }
  if (!Array.isArray(expressions) || expressions.some((each) => typeof each !== "string")) {
    const message = 'must have an array of strings as "expressions" of a rule';
    problems.push({ message, path: [...path, "expressions"] });
  }
  return problems;
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The rules for the traffic of an HTTPS edge route (specification, EndpointTrafficPolicy). `value` is required: at most
 * 64 KiB of JSON or YAML, one document, kept byte for byte. Its root is a mapping of phases to lists of rules, and of
 * `enabled` to true or false; a rule has `actions`, each with a `type`, and may have `expressions`. There is no
 * `on_tcp_connect`: a route begins with a request.
 */
export const httpsRouteTrafficPolicy = policyFor("httpsEdgeRoute");

/** The same for a TLS edge, which sees connections and no requests. */
export const tlsEdgeTrafficPolicy = policyFor("tlsEdge");

/** The same for a TCP edge. */
export const tcpEdgeTrafficPolicy = policyFor("tcpEdge");

export type TrafficPolicy = z.output<typeof tlsEdgeTrafficPolicy.rule>;
