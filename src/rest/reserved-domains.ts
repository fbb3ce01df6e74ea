import { z } from "zod";
import { withCapital } from "../domain/core/names.js";
import {
  createReservedDomain,
  deleteReservedDomain,
  reservedDomainInputs,
  updateReservedDomain,
} from "../domain/reserved-domains.js";
import { refTo, row } from "./contract/answers.js";
import {
  certificateManagementPolicyAnswer,
  showCertificateManagementPolicy,
} from "./contract/certificate-management.js";
import {
  collection,
  type Endpoint,
  idOf,
  NO_BODY,
  refOrNull,
  timestamp,
} from "./contract/contract.js";
import { lockOf } from "./contract/entity-tags.js";
import { alsoSpelled } from "./contract/spelling.js";
import { emptyListLeaves } from "./contract/tolerances.js";
import { domainName } from "./contract/wire.js";

const PATH = "/reserved_domains";
const CONFIGURATIONS = "/endpoint_configurations";

/** What has a path of its own, where DELETE clears it. */
const CLEARED: Readonly<Record<string, Parameters<typeof updateReservedDomain>[2]>> = {
  certificate: { certificateId: null },
  certificate_management_policy: { certificateManagementPolicy: null },
  http_endpoint_configuration: { httpEndpointConfigurationId: null },
  https_endpoint_configuration: { httpsEndpointConfigurationId: null },
};

export const reservedDomains: readonly Endpoint[] = [
  // Older clients call the domain `name`.
  ...alsoSpelled(
    { domain: "name" },
    collection({
      kind: "reservedDomain",
      path: PATH,
      listKey: "reserved_domains",
      answer: z.strictObject({
        ...row("reservedDomain"),
        domain: z.string(),
        region: z.string(),
        cname_target: z.null(),
        http_endpoint_configuration: refTo("endpointConfiguration").nullable(),
        https_endpoint_configuration: refTo("endpointConfiguration").nullable(),
        certificate: refTo("tlsCertificate").nullable(),
        certificate_management_policy: certificateManagementPolicyAnswer,
        certificate_management_status: z.null(),
        acme_challenge_cname_target: z.null(),
        error_redirect_url: z.string(),
        resolves_to: z.array(z.strictObject({ value: z.string() })),
      }),
      example: { domain: "shop.example.com", region: "eu", certificateManagementPolicy: {} },
      inputs: reservedDomainInputs,
      // Sent with every update, whether it is to change or not.
      tolerates: { update: [emptyListLeaves("resolvesTo")] },
      create: createReservedDomain,
      update: updateReservedDomain,
      remove: deleteReservedDomain,
      view: (domain, link) => ({
        id: domain.id,
        uri: link(`${PATH}/${domain.id}`),
        created_at: timestamp(domain.createdAt),
        description: domain.description,
        metadata: domain.metadata,
        domain: domain.domain,
        region: domain.region ?? "",
        // Where it points is said by who answers for it.
        cname_target: null,
        http_endpoint_configuration: refOrNull(
          link,
          CONFIGURATIONS,
          domain.httpEndpointConfigurationId,
        ),
        https_endpoint_configuration: refOrNull(
          link,
          CONFIGURATIONS,
          domain.httpsEndpointConfigurationId,
        ),
        certificate: refOrNull(link, "/tls_certificates", domain.certificateId),
        certificate_management_policy: showCertificateManagementPolicy(
          domain.certificateManagementPolicy,
        ),
        // No certificate is requested here.
        certificate_management_status: null,
        acme_challenge_cname_target: null,
        error_redirect_url: domain.errorRedirectUrl,
        resolves_to: domain.resolvesTo.map(({ value }) => ({ value })),
      }),
    }),
  ),
  ...Object.entries(CLEARED).map(
    ([name, change]): Endpoint => ({
      method: "DELETE",
      path: `${PATH}/:id/${name}`,
      status: 204,
      operation: {
        id: `deleteReservedDomain${withCapital(domainName(name))}`,
        kind: "reservedDomain",
        summary: `Clears \`${name}\` of a reserved domain; it may be unset already.`,
        refusals: ["FORBIDDEN", "NOT_FOUND", "CONFLICT"],
      },
      answer: null,
      lock: lockOf("reservedDomain"),
      async handle(request) {
        await updateReservedDomain(request.context, idOf(request), change);
        return NO_BODY;
      },
    }),
  ),
];
