import {
  createIpRestriction,
  deleteIpRestriction,
  type IpRestriction,
  ipRestrictionInputs,
  updateIpRestriction,
} from "../domain/ip-restrictions.js";
import { ipRestrictionList } from "../domain/lists/filters/ip-restrictions.js";
import { sequenceOf } from "../domain/lists/sequences.js";
import { MAX_IP_POLICIES } from "../domain/modules/links.js";
import { REFERENCES } from "../domain/storage/graph.js";
import { builder, Node } from "./builder/builder.js";
import { pageArguments } from "./builder/pages.js";
import { collection } from "./collection.js";
import { IpPolicyType } from "./ip-policies.js";
import { listField, targetsField } from "./reads/links.js";

const IpRestrictionTypeEnum = builder.enumType("IpRestrictionType", {
  description: "What an IP restriction restricts.",
  values: {
    API: { value: "api", description: "Who may call the API." },
    AGENT: { value: "agent", description: "From where agents may connect." },
    DASHBOARD: { value: "dashboard", description: "Who may open the dashboard." },
    ENDPOINTS: { value: "endpoints", description: "Who may reach the endpoints, all of them." },
  } as const,
});

const NOT_ENFORCED_HERE =
  "Edgeplane stores and serves it for what enforces it, and does not itself refuse callers by it.";

const IpRestrictionType = builder.objectRef<IpRestriction>("IpRestriction").implement({
  description: `The source addresses from which the API, agents, the dashboard or all endpoints may be reached. ${NOT_ENFORCED_HERE} An edge or a route has a restriction of its own: its module \`ipRestriction\`.`,
  interfaces: [Node],
  fields: (t) => ({
    type: t.expose("type", {
      type: IpRestrictionTypeEnum,
      description: "What it restricts; cannot be changed.",
    }),
    enforced: t.exposeBoolean("enforced", {
      description: "Whether it is to be enforced; false while it is only prepared.",
    }),
    ipPolicies: t.field({
      type: [IpPolicyType],
      description: "The IP policies that check the source address, in the order given.",
      ...targetsField({
        to: "ip_policies",
        member: "ipPolicyIds",
        holds: MAX_IP_POLICIES,
        id: ({ ipPolicyIds }: IpRestriction) => ipPolicyIds,
      }),
    }),
  }),
});

const IP_POLICY_IDS = `The ids of the IP policies that check the source address: 1 to ${MAX_IP_POLICIES}, each once; the order is kept.`;

const ipRestrictions = collection({
  kind: "ipRestriction",
  plural: "ipRestrictions",
  type: IpRestrictionType,
  list: ipRestrictionList,
  filter: (t) => ({
    type: t.field({ type: IpRestrictionTypeEnum, description: "Only those of this type." }),
    enforced: t.boolean({
      description: "True: only those that are to be enforced. False: only the others.",
    }),
    ipPolicyId: t.id({ description: "Only those that have this IP policy." }),
  }),
  create: {
    note: NOT_ENFORCED_HERE,
    rule: ipRestrictionInputs.create,
    fields: (t) => ({
      type: t.field({
        type: IpRestrictionTypeEnum,
        required: true,
        description: "What it restricts; cannot be changed later.",
      }),
      enforced: t.boolean({ description: "Whether it is to be enforced; default false." }),
      ipPolicyIds: t.idList({ required: true, description: IP_POLICY_IDS }),
    }),
    run: createIpRestriction,
  },
  update: {
    rule: ipRestrictionInputs.update,
    inputNote: "The IP policies cannot be null. The type cannot be changed.",
    fields: (t) => ({
      enforced: t.boolean({ description: "Whether it is to be enforced; null means false." }),
      ipPolicyIds: t.idList({ description: `${IP_POLICY_IDS} They replace all that it has.` }),
    }),
    run: updateIpRestriction,
  },
  remove: { run: deleteIpRestriction },
});

builder.objectField(IpPolicyType, "ipRestrictions", (t) =>
  t.field({
    type: ipRestrictions.connection,
    description: "The IP restrictions that have this policy.",
    args: pageArguments(t),
    ...listField({
      sequence: sequenceOf("ipRestriction"),
      reference: REFERENCES.ipPoliciesOfRestriction,
    }),
  }),
);
