import type { ArgBuilder } from "@pothos/core";
import { z } from "zod";
import type { Applied, AppliedChange } from "../domain/apply/apply.js";
import { appliedBackend, applyBackend } from "../domain/apply/backends.js";
import { appliedHttpsEdge, applyHttpsEdge } from "../domain/apply/https-edges.js";
import { appliedIpPolicy, applyIpPolicy } from "../domain/apply/ip-policies.js";
import { applyKey } from "../domain/apply/keys.js";
import { ApplyBackendInput, ApplyHttpsEdgeInput, ApplyIpPolicyInput } from "./apply-inputs.js";
import { BackendInterface } from "./backends.js";
import { builder, type GraphqlContext, type Types } from "./builder/builder.js";
import { dryRunArgument, expectedVersionArgument } from "./builder/mutations.js";
import { ChangeActionType, DifferenceType, ResourceType } from "./changes.js";
import { HttpsEdgeType } from "./https-edges.js";
import { IpPolicyType } from "./ip-policies.js";
import { loadAll, loadResource } from "./reads/reads.js";

const AppliedChangeType = builder.objectRef<AppliedChange>("AppliedChange").implement({
  description: "A resource that differed from the wished state, and what was, or would be, done.",
  fields: (t) => ({
    action: t.expose("action", { type: ChangeActionType, description: "What was done with it." }),
    type: t.field({
      type: ResourceType,
      description: "The kind of the resource.",
      resolve: ({ kind }) => kind,
    }),
    id: t.exposeID("id", {
      nullable: true,
      description: "The id of the resource; null for one that a dry run would create.",
    }),
    version: t.exposeInt("version", {
      description: "The resource's version after the change; the last one of a deleted resource.",
    }),
    label: t.exposeString("label", {
      description:
        "Tells it from the others: the key, or the way in which a route matches, or the action and network of a rule.",
    }),
    differences: t.field({
      type: [DifferenceType],
      description: "Every field that differs, down to single values. Secrets are never shown.",
      resolve: ({ differences }) => [...differences],
    }),
  }),
});

function differencesField(t: PothosSchemaTypes.ObjectFieldBuilder<Types, Applied>) {
  return t.field({
    type: [AppliedChangeType],
    description: "What differed, in the order in which it was changed; empty when nothing did.",
    resolve: ({ changes }) => [...changes],
  });
}

const RESULT = "What an apply did, or with `dryRun` would do.";
const PRESENT =
  "as it is now: as wished, or with `dryRun` as it was. Null when a dry run would create it.";

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

/** The arguments of every apply besides its input. */
function applyArguments(t: { readonly arg: ArgBuilder<Types> }, among: string) {
  return {
    key: t.arg.string({
      required: true,
      description: `Your own name for it, unique among ${among}, under which it is kept from apply to apply: 1 to 255 bytes of UTF-8. Or the id of one that exists.`,
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
  "in one transaction: what is absent gets its default, and applying the same again changes nothing.";

builder.mutationFields((t) => ({
  applyHttpsEdge: t.field({
    type: ApplyHttpsEdgeResult,
    nullable: true,
    description: `Makes an HTTPS edge and all of its routes as wished, ${DECLARATIVE} Routes are matched by type and match; those that are not wished are deleted.`,
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
    description: `Makes a backend of any kind as wished, ${DECLARATIVE}`,
    args: t.validate(
      {
        ...applyArguments(t, "backends of all kinds"),
        input: t.arg({
          type: ApplyBackendInput,
          required: true,
          description: "The whole backend; its kind never changes.",
        }),
      },
      applyRule(appliedBackend),
    ),
    resolve: (_, args, context) => applied(context, applyBackend, args),
  }),
  applyIpPolicy: t.field({
    type: ApplyIpPolicyResult,
    nullable: true,
    description: `Makes an IP policy and all of its rules as wished, ${DECLARATIVE} Rules are matched by their network; one whose action differs is deleted and created anew.`,
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
