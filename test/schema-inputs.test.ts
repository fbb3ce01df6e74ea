import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
  isScalarType,
} from "graphql";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { agentIngressInputs } from "../src/domain/agent-ingresses.js";
import { apiKeyInputs } from "../src/domain/api-keys.js";
import {
  appliedBackend,
  appliedFailoverBackend,
  appliedWeightedBackend,
  appliedWeightedChild,
} from "../src/domain/apply/backends.js";
import { appliedBackendSettings } from "../src/domain/apply/desired-references.js";
import { appliedHttpsEdge, appliedHttpsEdgeRoute } from "../src/domain/apply/https-edges.js";
import { appliedIpPolicy, appliedIpPolicyRule } from "../src/domain/apply/ip-policies.js";
import { appliedTcpEdge } from "../src/domain/apply/tcp-edges.js";
import { appliedTlsEdge } from "../src/domain/apply/tls-edges.js";
import { nestedBackendSettings } from "../src/domain/backend-references.js";
import { certificateAuthorityInputs } from "../src/domain/certificate-authorities.js";
import { typeNameOf } from "../src/domain/core/ids.js";
import { endpointConfigurationInputs } from "../src/domain/endpoint-configurations.js";
import { nestedFailoverBackendInputs } from "../src/domain/failover-backends.js";
import { httpResponseBackendInputs } from "../src/domain/http-response-backends.js";
import {
  nestedHttpsEdgeRouteInputs,
  newHttpsEdgeRoute,
} from "../src/domain/https-edge-route-inputs.js";
import { httpsEdgeInputs, nestedHttpsEdgeInput } from "../src/domain/https-edges.js";
import { ipPolicyInputs } from "../src/domain/ip-policies.js";
import { ipPolicyRuleInputs } from "../src/domain/ip-policy-rules.js";
import { ipRestrictionInputs } from "../src/domain/ip-restrictions.js";
import { carriedBy, MODULE_OWNERS } from "../src/domain/modules/index.js";
import { reservedAddrInputs } from "../src/domain/reserved-addrs.js";
import { reservedDomainInputs } from "../src/domain/reserved-domains.js";
import { sshCertificateAuthorityInputs } from "../src/domain/ssh-certificate-authorities.js";
import { sshCredentialInputs } from "../src/domain/ssh-credentials.js";
import { sshHostCertificateInputs } from "../src/domain/ssh-host-certificates.js";
import { sshUserCertificateInputs } from "../src/domain/ssh-user-certificates.js";
import { staticBackendInputs } from "../src/domain/static-backends.js";
import { nestedTcpEdgeInputs } from "../src/domain/tcp-edges.js";
import { tlsCertificateInputs } from "../src/domain/tls-certificates.js";
import { nestedTlsEdgeInputs } from "../src/domain/tls-edges.js";
import { tunnelGroupBackendInputs } from "../src/domain/tunnel-group-backends.js";
import { nestedWeightedBackendInputs } from "../src/domain/weighted-backends.js";
import { NameValueInput } from "../src/schema/builder/inputs.js";
import { schema } from "../src/schema/index.js";

/** The rules of each resource's inputs, by the name that GraphQL has for the resource. */
const resources: Readonly<Record<string, { create: z.ZodType; update: z.ZodType }>> = {
  AgentIngress: agentIngressInputs,
  ApiKey: apiKeyInputs,
  CertificateAuthority: certificateAuthorityInputs,
  EndpointConfiguration: endpointConfigurationInputs,
  FailoverBackend: nestedFailoverBackendInputs,
  HttpResponseBackend: httpResponseBackendInputs,
  HttpsEdge: { create: nestedHttpsEdgeInput, update: httpsEdgeInputs.update },
  HttpsEdgeRoute: nestedHttpsEdgeRouteInputs,
  IpPolicy: ipPolicyInputs,
  IpPolicyRule: ipPolicyRuleInputs,
  IpRestriction: ipRestrictionInputs,
  ReservedAddr: reservedAddrInputs,
  ReservedDomain: reservedDomainInputs,
  SshCertificateAuthority: sshCertificateAuthorityInputs,
  SshCredential: sshCredentialInputs,
  SshHostCertificate: sshHostCertificateInputs,
  SshUserCertificate: sshUserCertificateInputs,
  StaticBackend: staticBackendInputs,
  TcpEdge: nestedTcpEdgeInputs,
  TlsCertificate: tlsCertificateInputs,
  TlsEdge: nestedTlsEdgeInputs,
  TunnelGroupBackend: tunnelGroupBackendInputs,
  WeightedBackend: nestedWeightedBackendInputs,
};

/** The rule that checks what comes in by each input type inside another. */
const innerRules: Readonly<Record<string, z.ZodType>> = {
  NewHttpsEdgeRouteInput: newHttpsEdgeRoute,
  ApplyHttpsEdgeInput: appliedHttpsEdge,
  ApplyHttpsEdgeRouteInput: appliedHttpsEdgeRoute,
  ApplyTlsEdgeInput: appliedTlsEdge,
  ApplyTcpEdgeInput: appliedTcpEdge,
  ApplyBackendModuleInput: appliedBackendSettings,
  ApplyBackendInput: appliedBackend,
  ApplyFailoverBackendInput: appliedFailoverBackend,
  ApplyWeightedBackendInput: appliedWeightedBackend,
  ApplyWeightedChildInput: appliedWeightedChild,
  ApplyIpPolicyInput: appliedIpPolicy,
  ApplyIpPolicyRuleInput: appliedIpPolicyRule,
  ...moduleRules(),
  BackendModuleInput: nestedBackendSettings,
};

const resourceRules = Object.entries(resources).flatMap(([name, { create, update }]) => [
  [`Create${name}Input`, create] as const,
  [`Update${name}Input`, update] as const,
]);

describe.each(resourceRules)("%s", (name, rule) => {
  it("has the fields of its rule", () => {
    expect(shapeOfType(inputType(name))).toEqual(shapeOfRule(rule));
  });

  it("requires what its rule requires", () => {
    expect(requiredByType(name)).toEqual(requiredByRule(rule));
  });
});

describe.each(Object.entries(innerRules))("%s", (name, rule) => {
  it("has the fields of its rule", () => {
    expect(shapeOfType(inputType(name))).toEqual(shapeOfRule(rule));
  });

  it("requires what its rule requires", () => {
    expect(requiredByType(name)).toEqual(requiredByRule(rule));
  });
});

it("compares the inputs of all resources and modules", () => {
  const compared = [...resourceRules.map(([name]) => name), ...Object.keys(innerRules)];
  const names = Object.keys(schema.getTypeMap()).filter((name) =>
    /^(Create|Update|New|Apply).*Input$|ModuleInput$/.test(name),
  );
  expect(names.sort()).toEqual(compared.sort());
});

/** The rule of every module of every owner, by the name of the type that the owner's input has for it. */
function moduleRules(): Record<string, z.ZodType> {
  const rules = MODULE_OWNERS.flatMap((owner) => {
    const fields = inputType(`Create${typeNameOf(owner)}Input`).getFields();
    return carriedBy(owner).map(({ name, module }) => {
      const type = fields[name]?.type;
      return [String(type), module.rule] as const;
    });
  });
  return Object.fromEntries(rules);
}

/** An object by its fields, a list by what it holds, an enumeration by its values, else a word. */
type Shape = string | readonly Shape[] | { readonly [field: string]: Shape };

const SCALARS: Readonly<Record<string, string>> = {
  ID: "string",
  String: "string",
  Boolean: "boolean",
  Int: "number",
  UInt32: "number",
  DateTime: "string",
  Float: "number",
};

function shapeOfType(type: unknown): Shape {
  if (isListType(type)) {
    const item = getNullableType(type.ofType);
    return isNameValue(item) ? "map" : [shapeOfType(item)];
  }
  if (isEnumType(type)) return valuesOf(type.getValues().map(({ value }) => value));
  if (isScalarType(type)) return SCALARS[type.name] ?? type.name;
  if (!isInputObjectType(type)) throw new Error(`${type} is no input.`);
  const fields = Object.values(type.getFields());
  return Object.fromEntries(
    fields.map(({ name, type }) => [name, shapeOfType(getNullableType(type))]),
  );
}

function shapeOfRule(rule: unknown): Shape {
  if (rule instanceof z.ZodPipe) {
    return shapeOfRule(rule.out instanceof z.ZodTransform ? rule.in : rule.out);
  }
  if (rule instanceof z.ZodLiteral)
    return valuesOf([...new Set([...rule.values].map((value) => typeof value))]);
  if (rule instanceof z.ZodOptional || rule instanceof z.ZodNullable)
    return shapeOfRule(rule.unwrap());
  if (rule instanceof z.ZodArray) return [shapeOfRule(rule.element)];
  if (rule instanceof z.ZodEnum) return valuesOf(rule.options);
  if (rule instanceof z.ZodRecord) return "map";
  if (rule instanceof z.ZodObject) {
    const fields = Object.entries(rule.shape);
    return Object.fromEntries(fields.map(([name, field]) => [name, shapeOfRule(field)]));
  }
  if (rule instanceof z.ZodType) return rule.type;
  throw new Error(`${rule} is no rule.`);
}

function isNameValue(type: unknown): boolean {
  return isInputObjectType(type) && type.name === NameValueInput.name;
}

function valuesOf(values: readonly unknown[]): string {
  return [...values].sort().join(" | ");
}

function requiredByType(name: string): string[] {
  return Object.values(inputType(name).getFields())
    .filter(isRequiredInputField)
    .map(({ name }) => name)
    .sort();
}

function requiredByRule(rule: z.ZodType): string[] {
  const issues = rule.safeParse({}).error?.issues ?? [];
  // What is wrong with all of it, such as that exactly one field is given, is at no field.
  const names = issues.flatMap(({ path: [name] }) => (name === undefined ? [] : [String(name)]));
  return [...new Set(names)].sort();
}

function inputType(name: string) {
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`${name} is no input.`);
  return type;
}
