import { Prisma } from "../../../database/index.js";
import { region } from "../../core/enumerations.js";
import { reference } from "../../core/fields.js";
import { domainOrWildcard } from "../../formats/networks.js";
import { REFERENCES } from "../../storage/graph.js";
import { DOMAIN } from "../orders.js";
import { equals, isDomain, isFoundIn, listOf, member } from "./filter.js";

export const reservedDomainList = listOf({
  kinds: ["reservedDomain"],
  orders: [DOMAIN],
  members: {
    domain: member(domainOrWildcard, isDomain),
    region: equals("region", region),
    certificateId: equals("certificate_id", reference("tlsCertificate")),
    /** As either of its two configurations. */
    endpointConfigurationId: member(reference("endpointConfiguration"), (id) =>
      isFoundIn(
        "reserved_domains",
        Prisma.sql`found.http_endpoint_configuration_id = ${id}
          OR found.https_endpoint_configuration_id = ${id}`,
      ),
    ),
  },
});

const sequence = reservedDomainList;

export const domainsOfCertificateList = { sequence, reference: REFERENCES.certificateOfDomain };
export const domainsOfHttpConfigurationList = {
  sequence,
  reference: REFERENCES.httpConfigurationOfDomain,
};
export const domainsOfHttpsConfigurationList = {
  sequence,
  reference: REFERENCES.httpsConfigurationOfDomain,
};
