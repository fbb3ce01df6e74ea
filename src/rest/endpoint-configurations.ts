import {
  createEndpointConfiguration,
  deleteEndpointConfiguration,
  endpointConfigurationInputs,
  updateEndpointConfiguration,
} from "../domain/endpoint-configurations.js";
import { collection, timestamp } from "./contract/contract.js";

export const endpointConfigurations = collection({
  kind: "endpointConfiguration",
  path: "/endpoint_configurations",
  listKey: "endpoint_configurations",
  inputs: endpointConfigurationInputs,
  create: createEndpointConfiguration,
  update: updateEndpointConfiguration,
  remove: deleteEndpointConfiguration,
  view: (configuration, link) => ({
    id: configuration.id,
    uri: link(`/endpoint_configurations/${configuration.id}`),
    created_at: timestamp(configuration.createdAt),
    description: configuration.description,
    metadata: configuration.metadata,
    type: configuration.type,
  }),
});
