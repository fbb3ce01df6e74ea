import { z } from "zod";
import { endpointConfigurationType } from "../domain/core/enumerations.js";
import {
  createEndpointConfiguration,
  deleteEndpointConfiguration,
  endpointConfigurationInputs,
  updateEndpointConfiguration,
} from "../domain/endpoint-configurations.js";
import { getOne } from "../domain/reads/read.js";
import { row } from "./contract/answers.js";
import { collection, idOf, timestamp } from "./contract/contract.js";
import { moduleAnswers, moduleViews, showModules } from "./contract/module-views.js";
import { moduleEndpoints } from "./contract/modules.js";
import { respelled } from "./contract/spelling.js";

const PATH = "/endpoint_configurations";

/** The modules that have older names here than on routes and edges. */
const SPELLING = { ipRestriction: "ipPolicy", webhookVerification: "webhookValidation" };

const modules = moduleViews("endpointConfiguration", SPELLING);

export const endpointConfigurations = respelled(SPELLING, [
  ...collection({
    kind: "endpointConfiguration",
    path: PATH,
    listKey: "endpoint_configurations",
    answer: z.strictObject({
      ...row("endpointConfiguration"),
      type: endpointConfigurationType,
      ...moduleAnswers(modules),
    }),
    example: { description: "Public sites", type: "https", compression: { enabled: true } },
    inputs: endpointConfigurationInputs,
    create: createEndpointConfiguration,
    update: updateEndpointConfiguration,
    remove: deleteEndpointConfiguration,
    view: (configuration, link) => ({
      id: configuration.id,
      uri: link(`${PATH}/${configuration.id}`),
      created_at: timestamp(configuration.createdAt),
      description: configuration.description,
      metadata: configuration.metadata,
      type: configuration.type,
      ...showModules(modules, configuration, link),
    }),
  }),
  ...moduleEndpoints({
    kind: "endpointConfiguration",
    path: `${PATH}/:id`,
    rule: endpointConfigurationInputs.update,
    views: modules,
    get: (request) => getOne(request.context, "endpointConfiguration", idOf(request)),
    update: (request, input) => updateEndpointConfiguration(request.context, idOf(request), input),
  }),
]);
