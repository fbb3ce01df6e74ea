import {
  addrsOfEndpointConfigurationList,
  reservedAddrList,
} from "../domain/lists/filters/reserved-addrs.js";
import {
  createReservedAddr,
  deleteReservedAddr,
  type ReservedAddr,
  reservedAddrInputs,
  updateReservedAddr,
} from "../domain/reserved-addrs.js";
import { builder, Node } from "./builder/builder.js";
import { hostportFilter } from "./builder/inputs.js";
import { listArguments } from "./builder/lists.js";
import { collection } from "./collection.js";
import { EndpointConfigurationType } from "./endpoint-configurations.js";
import { listField, optionalTargetField } from "./reads/links.js";
import { RegionEnum } from "./regions.js";

const ReservedAddrType = builder.objectRef<ReservedAddr>("ReservedAddr").implement({
  description: "An address in a datacenter region, reserved for you.",
  interfaces: [Node],
  fields: (t) => ({
    addr: t.exposeString("addr", {
      description:
        "The address as `host:port`. The service chooses it; it is unique and cannot be changed.",
    }),
    region: t.expose("region", {
      type: RegionEnum,
      description: "The region in which the address is served; cannot be changed.",
    }),
    endpointConfiguration: t.field({
      type: EndpointConfigurationType,
      nullable: true,
      description: "The endpoint configuration attached to the address; null when there is none.",
      ...optionalTargetField({
        to: "endpoint_configurations",
        member: "endpointConfigurationId",
        id: ({ endpointConfigurationId }: ReservedAddr) => endpointConfigurationId,
      }),
    }),
  }),
});

const reservedAddrs = collection({
  kind: "reservedAddr",
  plural: "reservedAddrs",
  type: ReservedAddrType,
  list: reservedAddrList,
  filter: (t) => ({
    addr: hostportFilter(t),
    region: t.field({ type: RegionEnum, description: "Only those in this region." }),
    attached: t.boolean({
      description: "True: only those that have an endpoint configuration. False: only the others.",
    }),
    endpointConfigurationId: t.id({
      description: "Only those that have this endpoint configuration.",
    }),
  }),
  searched: "description, metadata or address",
  create: {
    note: "The address is unique.",
    rule: reservedAddrInputs.create,
    inputNote: "The service chooses the host and the port.",
    fields: (t) => ({
      region: t.field({
        type: RegionEnum,
        description:
          "The region in which to serve the address; default `US`, cannot be changed later.",
      }),
      endpointConfigurationId: t.id({
        description: "The id of the endpoint configuration to attach, of type `TCP`; default none.",
      }),
    }),
    run: createReservedAddr,
  },
  update: {
    rule: reservedAddrInputs.update,
    inputNote: "Address and region cannot be changed.",
    fields: (t) => ({
      endpointConfigurationId: t.id({
        description:
          "The id of the endpoint configuration to attach, of type `TCP`; null detaches it.",
      }),
    }),
    run: updateReservedAddr,
  },
  remove: {
    note: "The service can then give the address to a new reservation.",
    run: deleteReservedAddr,
  },
});

builder.objectField(EndpointConfigurationType, "reservedAddrs", (t) =>
  t.field({
    type: reservedAddrs.connection,
    description:
      "The reserved addresses that have this endpoint configuration; newest first by default.",
    args: listArguments(t, reservedAddrs),
    ...listField(addrsOfEndpointConfigurationList),
  }),
);
