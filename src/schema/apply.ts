import type { ArgBuilder } from "@pothos/core";
import { z } from "zod";
import type { Applied, AppliedChange } from "../domain/apply/apply.js";
import { appliedBackend, applyBackend } from "../domain/apply/backends.js";
import { appliedHttpsEdge, applyHttpsEdge } from "../domain/apply/https-edges.js";
import { appliedIpPolicy, applyIpPolicy } from "../domain/apply/ip-policies.js";
import { applyKey, MAX_KEY_BYTES } from "../domain/apply/keys.js";
import { ApplyBackendInput, ApplyHttpsEdgeInput, ApplyIpPolicyInput } from "./apply-inputs.js";
import { BackendInterface } from "./backends.js";
import { builder, type GraphqlContext, type Types } from "./builder/builder.js";
import { dryRunArgument, expectedVersionArgument } from "./builder/mutations.js";
import { ChangeActionType, DifferenceType, ResourceType } from "./changes.js";
import { HttpsEdgeType } from "./https-edges.js";
import { IpPolicyType } from "./ip-policies.js";
import { loadAll, loadResource } from "./reads/reads.js";

const AppliedChangeType = builder.objectRef<AppliedChange>("AppliedChange").implement({
  description:
    "A resource that differed from the desired state, with the action that was taken. For a dry run, it is the action that would be taken.",
  fields: (t) => ({
    action: t.expose("action", {
      type: ChangeActionType,
      description: "The action that was taken.",
    }),
    type: t.field({
      type: ResourceType,
      description: "The kind of the resource.",
      resolve: ({ kind }) => kind,
    }),
    id: t.exposeID("id", {
      nullable: true,
      description: "The id of the resource; null when a dry run would create it.",
    }),
    version: t.exposeInt("version", {
      description:
        "The version of the resource after the change. For a deleted resource, it is the last version.",
    }),
    label: t.exposeString("label", {
      description:
        "A label for people: the key, the match type and match of a route, or the action and network of a rule.",
    }),
    differences: t.field({
      type: [DifferenceType],
      description:
        "Every field that differs, one entry for each single value. Secrets are redacted.",
      resolve: ({ differences }) => [...differences],
    }),
  }),
});

function differencesField(t: PothosSchemaTypes.ObjectFieldBuilder<Types, Applied>) {
  return t.field({
    type: [AppliedChangeType],
    description:
      "The resources that differed, in the order of the changes; empty when none differed.",
    resolve: ({ changes }) => [...changes],
  });
}

const RESULT = "The result of an apply. With `dryRun`, it is the result that the apply would have.";
const PRESENT =
  "after the apply. With `dryRun`, it is in its current state, or null when the apply would create it.";

const ApplyHttpsEdgeResult = builder.objectRef<Applied>("ApplyHttpsEdgeResult").implement({
  description: RESULT,
  fields: (t) => ({
    httpsEdge: t.field({
      type: HttpsEdgeType,
      nullable: true,
      description: `The edge ${PRESENT}`,
      resolve: ({ id }, _, context, info) =>
        id === null ? null : loadResource(context, info, "httpsEdge", id),
    }),
    differences: differencesField(t),
  }),
});

const ApplyBackendResult = builder.objectRef<Applied>("ApplyBackendResult").implement({
  description: RESULT,
  fields: (t) => ({
    backend: t.field({
      type: BackendInterface,
      nullable: true,
      description: `The backend ${PRESENT}`,
      resolve: async ({ id }, _, context, info) => {
        const [backend = null] = await loadAll<"backends">(context, info, id === null ? [] : [id]);
        return backend;
      },
    }),
    differences: differencesField(t),
  }),
});

const ApplyIpPolicyResult = builder.objectRef<Applied>("ApplyIpPolicyResult").implement({
  description: RESULT,
  fields: (t) => ({
    ipPolicy: t.field({
      type: IpPolicyType,
      nullable: true,
      description: `The IP policy ${PRESENT}`,
      resolve: ({ id }, _, context, info) =>
        id === null ? null : loadResource(context, info, "ipPolicy", id),
    }),
    differences: differencesField(t),
  }),
});

/** The arguments of every apply except its input. */
function applyArguments(t: { readonly arg: ArgBuilder<Types> }, among: string) {
  return {
    key: t.arg.string({
      required: true,
      description: `A key that you choose, unique among ${among}: 1 to ${MAX_KEY_BYTES} bytes of UTF-8. Each apply with the same key changes the same resource. You can also give the id of an existing resource.`,
    }),
    expectedVersion: expectedVersionArgument(t),
    dryRun: dryRunArgument(t),
  };
}

/** The rule of all arguments of an apply, so that every problem is found at once. */
function applyRule<Rule extends z.ZodType>(input: Rule) {
  return z.object({
    key: applyKey,
    dryRun: z.boolean().nullish(),
    expectedVersion: z.number().nullish(),
    input,
  });
}

type Apply<Input> = (
  context: GraphqlContext,
  input: Input,
  options: { readonly key: string; readonly dryRun?: boolean | null | undefined },
) => Promise<Applied>;

async function applied<Input>(
  context: GraphqlContext,
  apply: Apply<Input>,
  { input, ...options }: { readonly input: Input } & Parameters<Apply<Input>>[2],
): Promise<Applied> {
  context.loaders.clear();
  const result = await apply(context, input, options);
  context.loaders.clear();
  return result;
}

const DECLARATIVE =
  "in one transaction. A field that is absent gets its default. A second apply of the same state changes nothing.";

builder.mutationFields((t) => ({
  applyHttpsEdge: t.field({
    type: ApplyHttpsEdgeResult,
    nullable: true,
    description: `Brings an HTTPS edge and all of its routes to the desired state, ${DECLARATIVE} Routes are identified by match type and match; routes that are not in the input are deleted.`,
    args: t.validate(
      {
        ...applyArguments(t, "HTTPS edges"),
        input: t.arg({ type: ApplyHttpsEdgeInput, required: true, description: "The whole edge." }),
      },
      applyRule(appliedHttpsEdge),
    ),
    resolve: (_, args, context) => applied(context, applyHttpsEdge, args),
  }),
  applyBackend: t.field({
    type: ApplyBackendResult,
    nullable: true,
    description: `Brings a backend of any kind to the desired state, ${DECLARATIVE}`,
    args: t.validate(
      {
        ...applyArguments(t, "backends of all kinds"),
        input: t.arg({
          type: ApplyBackendInput,
          required: true,
          description: "The whole backend; its kind cannot change.",
        }),
      },
      applyRule(appliedBackend),
    ),
    resolve: (_, args, context) => applied(context, applyBackend, args),
  }),
  applyIpPolicy: t.field({
    type: ApplyIpPolicyResult,
    nullable: true,
    description: `Brings an IP policy and all of its rules to the desired state, ${DECLARATIVE} Rules are identified by their network; rules that are not in the input are deleted. A rule with another action is deleted and created again.`,
    args: t.validate(
      {
        ...applyArguments(t, "IP policies"),
        input: t.arg({
          type: ApplyIpPolicyInput,
          required: true,
          description: "The whole IP policy.",
        }),
      },
      applyRule(appliedIpPolicy),
    ),
    resolve: (_, args, context) => applied(context, applyIpPolicy, args),
  }),
}));
