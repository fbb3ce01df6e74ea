import {
  MAX_SECRET_BYTES,
  WEBHOOK_PROVIDERS,
  type WebhookVerification,
} from "../../domain/modules/webhook-verification.js";
import { builder } from "../builder/builder.js";
import { secretField } from "../reads/field-reads.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const WebhookVerificationModule = builder
  .objectRef<WebhookVerification>("WebhookVerificationModule")
  .implement({
    description: "Allows only requests that a webhook provider signed.",
    interfaces: [Module],
    fields: (t) => ({
      provider: t.exposeString("provider", { description: "The webhook provider, as given." }),
      secret: t.exposeString("secret", {
        ...secretField,
        description:
          "The secret that verifies signatures; empty for `sns`, and empty for a read-only API key.",
      }),
    }),
  });

const WebhookVerificationModuleInput = builder.inputType("WebhookVerificationModuleInput", {
  description: "Allows only requests that a webhook provider signed.",
  fields: (t) => ({
    enabled: enabledInput(t),
    provider: t.string({
      required: true,
      description: `The webhook provider, ignoring case: ${WEBHOOK_PROVIDERS.join(", ")}.`,
    }),
    secret: t.string({
      description: `The secret that verifies signatures, at most ${MAX_SECRET_BYTES} bytes; for \`sendgrid\` it is the provider's public key in base64. Required for every provider except \`sns\`, which must have none, the default.`,
    }),
  }),
});

export const webhookVerification: ModuleType<WebhookVerification> = {
  type: WebhookVerificationModule,
  input: WebhookVerificationModuleInput,
  about: "Requires the signature of a webhook provider; null means none.",
  kind: "Allows only requests that a webhook provider signed.",
};
