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
import { listArguments } from "./builder/lists.js";
import { collection } from "./collection.js";
import { EndpointConfigurationType } from "./endpoint-configurations.js";
import { listField, optionalTargetField } from "./reads/reads.js";

const RegionEnum = builder.enumType("Region", {
  description: "A datacenter region.",
  values: {
    AU: { value: "au", description: "Australia." },
    EU: { value: "eu", description: "Europe." },
    AP: { value: "ap", description: "Asia and the Pacific." },
    US: { value: "us", description: "United States; the default." },
    JP: { value: "jp", description: "Japan." },
    IN: { value: "in", description: "India." },
    SA: { value: "sa", description: "South America." },
  } as const,
});

const ReservedAddrType = builder.objectRef<ReservedAddr>("ReservedAddr").implement({
  description: "An address of a datacenter region, held for one use.",
  interfaces: [Node],
  fields: (t) => ({
    addr: t.exposeString("addr", {
      description: "`host:port`, chosen by the service and unique; never changes.",
    }),
    region: t.expose("region", {
      type: RegionEnum,
      description: "Where the address is served; never changes.",
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
    region: t.field({ type: RegionEnum, description: "Those of this region." }),
    attached: t.boolean({
      description: "True: those that have an endpoint configuration. False: all others.",
    }),
    endpointConfigurationId: t.id({ description: "Those that have this endpoint configuration." }),
  }),
  searched: "description, metadata and address",
  create: {
    note: "Nobody else has the same.",
    rule: reservedAddrInputs.create,
    inputNote: "The service chooses host and port.",
    fields: (t) => ({
      region: t.field({
        type: RegionEnum,
        description: "Where the address is to be served; default `US`, cannot be changed later.",
      }),
      endpointConfigurationId: t.id({
        description: "The endpoint configuration to attach, of type `TCP`; default none.",
      }),
    }),
    run: createReservedAddr,
  },
  update: {
    rule: reservedAddrInputs.update,
    inputNote: "Address and region stay.",
    fields: (t) => ({
      endpointConfigurationId: t.id({
        description: "The endpoint configuration to attach, of type `TCP`; null detaches.",
      }),
    }),
    run: updateReservedAddr,
  },
  remove: { note: "The address is free again.", run: deleteReservedAddr },
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
