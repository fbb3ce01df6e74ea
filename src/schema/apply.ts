import type { ArgBuilder } from "@pothos/core";
import { z } from "zod";
import { appliedBackend, applyBackend } from "../domain/apply/backends.js";
import { appliedHttpsEdge, applyHttpsEdge } from "../domain/apply/https-edges.js";
import { appliedIpPolicy, applyIpPolicy } from "../domain/apply/ip-policies.js";
import { applyKey, MAX_KEY_BYTES } from "../domain/apply/keys.js";
import { appliedTcpEdge, applyTcpEdge } from "../domain/apply/tcp-edges.js";
import { appliedTlsEdge, applyTlsEdge } from "../domain/apply/tls-edges.js";
import {
  ApplyBackendInput,
  ApplyHttpsEdgeInput,
  ApplyIpPolicyInput,
  ApplyTcpEdgeInput,
  ApplyTlsEdgeInput,
} from "./apply-inputs.js";
import { BackendInterface } from "./backends.js";
import { builder, type Types } from "./builder/builder.js";
import { applyArguments, applyOne } from "./builder/mutations.js";
import { httpsEdges } from "./https-edges.js";
import { ipPolicies } from "./ip-policies.js";
import { mutationResult } from "./mutation-results.js";
import { tcpEdges } from "./tcp-edges.js";
import { tlsEdges } from "./tls-edges.js";

const BackendResult = mutationResult(
  "Backend",
  "a backend of any kind",
  "backend",
  BackendInterface,
);

/** The arguments of every apply except its input. */
function keyedArguments(t: { readonly arg: ArgBuilder<Types> }, among: string) {
  return {
    key: t.arg.string({
      required: true,
      description: `A key that you choose, unique among ${among}: 1 to ${MAX_KEY_BYTES} bytes of UTF-8. Each apply with the same key changes the same resource. You can also give the id of an existing resource.`,
    }),
    ...applyArguments(t),
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

const DECLARATIVE =
  "in one transaction. A field that is absent gets its default. A second apply of the same state changes nothing.";

builder.mutationFields((t) => ({
  applyHttpsEdge: t.field({
    type: httpsEdges.result,
    nullable: true,
    description: `Brings an HTTPS edge and all of its routes to the desired state, ${DECLARATIVE} Routes are identified by match type and match; routes that are not in the input are deleted.`,
    args: t.validate(
      {
        ...keyedArguments(t, "HTTPS edges"),
        input: t.arg({ type: ApplyHttpsEdgeInput, required: true, description: "The whole edge." }),
      },
      applyRule(appliedHttpsEdge),
    ),
    resolve: (_, { input, ...options }, context) =>
      applyOne(context, options, (context) => applyHttpsEdge(context, input, options)),
  }),
  applyTlsEdge: t.field({
    type: tlsEdges.result,
    nullable: true,
    description: `Brings a TLS edge to the desired state, ${DECLARATIVE}`,
    args: t.validate(
      {
        ...keyedArguments(t, "TLS edges"),
        input: t.arg({ type: ApplyTlsEdgeInput, required: true, description: "The whole edge." }),
      },
      applyRule(appliedTlsEdge),
    ),
    resolve: (_, { input, ...options }, context) =>
      applyOne(context, options, (context) => applyTlsEdge(context, input, options)),
  }),
  applyTcpEdge: t.field({
    type: tcpEdges.result,
    nullable: true,
    description: `Brings a TCP edge to the desired state, ${DECLARATIVE}`,
    args: t.validate(
      {
        ...keyedArguments(t, "TCP edges"),
        input: t.arg({ type: ApplyTcpEdgeInput, required: true, description: "The whole edge." }),
      },
      applyRule(appliedTcpEdge),
    ),
    resolve: (_, { input, ...options }, context) =>
      applyOne(context, options, (context) => applyTcpEdge(context, input, options)),
  }),
  applyBackend: t.field({
    type: BackendResult,
    nullable: true,
    description: `Brings a backend of any kind to the desired state, ${DECLARATIVE}`,
    args: t.validate(
      {
        ...keyedArguments(t, "backends of all kinds"),
        input: t.arg({
          type: ApplyBackendInput,
          required: true,
          description: "The whole backend; its kind cannot change.",
        }),
      },
      applyRule(appliedBackend),
    ),
    resolve: (_, { input, ...options }, context) =>
      applyOne(context, options, (context) => applyBackend(context, input, options)),
  }),
  applyIpPolicy: t.field({
    type: ipPolicies.result,
    nullable: true,
    description: `Brings an IP policy and all of its rules to the desired state, ${DECLARATIVE} Rules are identified by their network; rules that are not in the input are deleted. A rule with another action is deleted and created again.`,
    args: t.validate(
      {
        ...keyedArguments(t, "IP policies"),
        input: t.arg({
          type: ApplyIpPolicyInput,
          required: true,
          description: "The whole IP policy.",
        }),
      },
      applyRule(appliedIpPolicy),
    ),
    resolve: (_, { input, ...options }, context) =>
      applyOne(context, options, (context) => applyIpPolicy(context, input, options)),
  }),
}));
