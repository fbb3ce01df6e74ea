import { RESOURCE_OPERATIONS } from "../generated/resource-operations.js";
import { words } from "../words.js";
import { defineResource } from "./resource.js";

export const ipPolicies = defineResource("IpPolicy", RESOURCE_OPERATIONS.IpPolicy, {
  purpose: "An IP policy has rules that allow or deny the addresses of clients.",
  columns: [],
});

export const ipPolicyRules = defineResource("IpPolicyRule", RESOURCE_OPERATIONS.IpPolicyRule, {
  purpose: "A rule of an IP policy allows or denies a network.",
  columns: [
    { header: "Network", show: ({ cidr }) => cidr },
    { header: "Action", show: ({ action }) => words(action) },
  ],
});
