import { z } from "zod";
import { region } from "../domain/core/enumerations.js";
import {
  createReservedAddr,
  deleteReservedAddr,
  detachEndpointConfiguration,
  reservedAddrInputs,
  updateReservedAddr,
} from "../domain/reserved-addrs.js";
import { refTo, row } from "./contract/answers.js";
import {
  collection,
  type Endpoint,
  idOf,
  NO_BODY,
  refOrNull,
  timestamp,
} from "./contract/contract.js";
import { lockOf } from "./contract/entity-tags.js";

const path = "/reserved_addrs";

export const reservedAddrs: readonly Endpoint[] = [
  ...collection({
    kind: "reservedAddr",
    path,
    listKey: "reserved_addrs",
    answer: z.strictObject({
      ...row("reservedAddr"),
      addr: z.string(),
      region,
      endpoint_configuration: refTo("endpointConfiguration").nullable(),
    }),
    example: { description: "SSH of the build machines", region: "eu" },
    inputs: reservedAddrInputs,
    create: createReservedAddr,
    update: updateReservedAddr,
    remove: deleteReservedAddr,
    view: (addr, link) => ({
      id: addr.id,
      uri: link(`${path}/${addr.id}`),
      created_at: timestamp(addr.createdAt),
      description: addr.description,
      metadata: addr.metadata,
      addr: addr.addr,
      region: addr.region,
      endpoint_configuration: refOrNull(
        link,
        "/endpoint_configurations",
        addr.endpointConfigurationId,
      ),
    }),
  }),
  {
    method: "DELETE",
    path: `${path}/:id/endpoint_configuration`,
    status: 204,
    operation: {
      id: "deleteReservedAddrEndpointConfiguration",
      kind: "reservedAddr",
      summary: "Detaches the endpoint configuration of a reserved address; there may be none.",
      refusals: ["FORBIDDEN", "NOT_FOUND"],
    },
    answer: null,
    lock: lockOf("reservedAddr"),
    async handle(request) {
      await detachEndpointConfiguration(request.context, idOf(request));
      return NO_BODY;
    },
  },
];
