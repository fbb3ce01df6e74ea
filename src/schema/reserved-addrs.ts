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
import { connectionOf } from "./builder/connections.js";
import { descriptionInput, idArgument, metadataInput } from "./builder/inputs.js";
import { listArguments, listInputs } from "./builder/lists.js";
import {
  changeArguments,
  createArguments,
  deleteOne,
  mutate,
  mutateOne,
} from "./builder/mutations.js";
import { EndpointConfigurationType } from "./endpoint-configurations.js";
import { listField, optionalTargetField, readPage, readResource } from "./reads/reads.js";

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

const ReservedAddrConnection = connectionOf(ReservedAddrType, "ReservedAddr", "reserved addresses");

builder.objectFields(EndpointConfigurationType, (t) => ({
  reservedAddrs: t.field({
    type: ReservedAddrConnection,
    description:
      "The reserved addresses that have this endpoint configuration; newest first by default.",
    args: listArguments(t, reservedAddrListInputs),
    ...listField(addrsOfEndpointConfigurationList),
  }),
}));

const reservedAddrListInputs = listInputs(
  "ReservedAddr",
  "reserved addresses",
  (t) => ({
    region: t.field({ type: RegionEnum, description: "Those of this region." }),
    attached: t.boolean({
      description: "True: those that have an endpoint configuration. False: all others.",
    }),
    endpointConfigurationId: t.id({ description: "Those that have this endpoint configuration." }),
  }),
  "description, metadata and address",
);

const CreateInput = builder
  .inputType("CreateReservedAddrInput", {
    description: "A new reserved address. The service chooses host and port.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      region: t.field({
        type: RegionEnum,
        description: "Where the address is to be served; default `US`, cannot be changed later.",
      }),
      endpointConfigurationId: t.id({
        description: "The endpoint configuration to attach, of type `TCP`; default none.",
      }),
    }),
  })
  .validate(reservedAddrInputs.create);

const UpdateInput = builder
  .inputType("UpdateReservedAddrInput", {
    description: "Absent leaves a field as it is, null clears it. Address and region stay.",
    fields: (t) => ({
      description: descriptionInput(t),
      metadata: metadataInput(t),
      endpointConfigurationId: t.id({
        description: "The endpoint configuration to attach, of type `TCP`; null detaches.",
      }),
    }),
  })
  .validate(reservedAddrInputs.update);

builder.queryFields((t) => ({
  reservedAddr: t.field({
    type: ReservedAddrType,
    nullable: true,
    description: "One reserved address.",
    args: { id: idArgument(t) },
    resolve: (_, { id }, context, info) => readResource(context, info, "reservedAddr", id),
  }),
  reservedAddrs: t.field({
    type: ReservedAddrConnection,
    description: "All reserved addresses; newest first by default.",
    args: listArguments(t, reservedAddrListInputs),
    resolve: (_, args, context, info) => readPage(context, info, reservedAddrList, args),
  }),
}));

builder.mutationFields((t) => ({
  createReservedAddr: t.field({
    type: ReservedAddrType,
    nullable: true,
    description: "Reserves an address that nobody else has.",
    args: {
      input: t.arg({ type: CreateInput, required: true, description: "The reserved address." }),
      ...createArguments(t),
    },
    resolve: (_, args, context) =>
      mutate(context, args, (context) => createReservedAddr(context, args.input)),
  }),
  updateReservedAddr: t.field({
    type: ReservedAddrType,
    nullable: true,
    description: "Changes a reserved address.",
    args: {
      ...changeArguments(t),
      input: t.arg({ type: UpdateInput, required: true, description: "What to change." }),
    },
    resolve: (_, args, context) =>
      mutateOne(context, "reservedAddr", args, (context, id) =>
        updateReservedAddr(context, id, args.input),
      ),
  }),
  deleteReservedAddr: t.id({
    nullable: true,
    description: "Gives a reserved address back and returns its id.",
    args: changeArguments(t),
    resolve: (_, args, context) => deleteOne(context, "reservedAddr", args, deleteReservedAddr),
  }),
}));
