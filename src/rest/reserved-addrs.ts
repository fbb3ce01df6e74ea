import {
  createReservedAddr,
  deleteReservedAddr,
  detachEndpointConfiguration,
  reservedAddrInputs,
  updateReservedAddr,
} from "../domain/reserved-addrs.js";
import { collection, type Endpoint, idOf, ref, timestamp } from "./contract/contract.js";

const path = "/reserved_addrs";

export const reservedAddrs: readonly Endpoint[] = [
  ...collection({
    kind: "reservedAddr",
    path,
    listKey: "reserved_addrs",
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
      endpoint_configuration:
        addr.endpointConfigurationId === null
          ? null
          : ref(link, "/endpoint_configurations", addr.endpointConfigurationId),
    }),
  }),
  {
    method: "DELETE",
    path: `${path}/:id/endpoint_configuration`,
    status: 204,
    handle: (request) => detachEndpointConfiguration(request.context, idOf(request)),
  },
];
