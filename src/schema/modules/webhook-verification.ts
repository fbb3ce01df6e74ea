import {
  WEBHOOK_PROVIDERS,
  type WebhookVerification,
} from "../../domain/modules/webhook-verification.js";
import { builder } from "../builder/builder.js";
import { secretField } from "../reads/field-reads.js";
import { enabledInput, Module, type ModuleType } from "./module.js";

const WebhookVerificationModule = builder
  .objectRef<WebhookVerification>("WebhookVerificationModule")
  .implement({
    description: "Lets only requests through that a webhook provider signed.",
    interfaces: [Module],
    fields: (t) => ({
      provider: t.exposeString("provider", { description: "The webhook provider, as given." }),
      secret: t.exposeString("secret", {
        ...secretField,
        description:
          "What the provider signs with; empty for `sns`, and empty for a key that may only read.",
      }),
    }),
  });

const WebhookVerificationModuleInput = builder.inputType("WebhookVerificationModuleInput", {
  description: "Lets only requests through that a webhook provider signed.",
  fields: (t) => ({
    enabled: enabledInput(t),
    provider: t.string({
      required: true,
      description: `The webhook provider, in any case: ${WEBHOOK_PROVIDERS.join(", ")}.`,
    }),
    secret: t.string({
      description:
        "What the provider signs with, at most 4096 bytes; for `sendgrid` its public key in base64. Required for every provider but `sns`, which has none by default.",
    }),
  }),
});

export const webhookVerification: ModuleType<WebhookVerification> = {
  type: WebhookVerificationModule,
  input: WebhookVerificationModuleInput,
  about: "The webhook provider whose signature is required; none when null.",
  kind: "Lets only signed webhooks through.",
};
