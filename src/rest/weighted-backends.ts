import { z } from "zod";
import { deleteBackend } from "../domain/backends.js";
import {
  createWeightedBackend,
  updateWeightedBackend,
  weightedBackendInputs,
} from "../domain/weighted-backends.js";
import { row } from "./contract/answers.js";
import { collection, timestamp } from "./contract/contract.js";
import { exampleId } from "./contract/examples.js";

export const weightedBackends = collection({
  kind: "weightedBackend",
  path: "/backends/weighted",
  listKey: "backends",
  answer: z.strictObject({ ...row("weightedBackend"), backends: z.record(z.string(), z.int()) }),
  example: { backends: { [exampleId("staticBackend")]: 9, [exampleId("httpResponseBackend")]: 1 } },
  inputs: weightedBackendInputs,
  create: createWeightedBackend,
  update: updateWeightedBackend,
  remove: (context, id) => deleteBackend(context, "weighted", id),
  view: (backend, link) => ({
    id: backend.id,
    uri: link(`/backends/weighted/${backend.id}`),
    created_at: timestamp(backend.createdAt),
    description: backend.description,
    metadata: backend.metadata,
    backends: backend.backends,
  }),
});
