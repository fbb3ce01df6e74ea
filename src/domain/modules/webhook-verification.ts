import { createPublicKey } from "node:crypto";
import { z } from "zod";
import { ALWAYS, text, withDefault } from "../core/fields.js";
import { enabled } from "./enabled.js";
import { type DocumentModule, openSecret, sealSecret } from "./module.js";

export const MAX_SECRET_BYTES = 4096;
const SECRET = "webhookVerification.secret";

export const WEBHOOK_PROVIDERS: readonly string[] = (
  "aftership airship alchemy sns autodesk bitbucket bolt box brex buildkite calendly castle chargify " +
  "circleci clearbit clerk coinbase contentful docusign dropbox facebook_graph_api facebook_messenger " +
  "frameio github gitlab go1 heroku hostedhooks hubspot graphcms instagram intercom launch_darkly " +
  "mailchimp mailgun microsoft_teams modern_treasury mongodb mux orb orbit pagerduty pinwheel plivo " +
  "pusher sendgrid sentry shopify signal_sciences slack sonatype square stripe svix terraform tiktok " +
  "trendmicro_conformity twilio twitter typeform vmware webex whatsapp worldline xero zendesk zoom"
).split(" ");

/** The one provider that signs with a public key of its own, so that there is no secret to share. */
const WITHOUT_SECRET = "sns";
/** The one provider whose "secret" is its public key. */
const WITH_PUBLIC_KEY = "sendgrid";

const rule = z
  .strictObject({
    enabled,
    provider: z
      .string()
      .refine(isProvider, `must be a supported provider: ${WEBHOOK_PROVIDERS.join(", ")}`),
    secret: withDefault(text(MAX_SECRET_BYTES), ""),
  })
  .superRefine((module, ctx) => {
    const message = secretProblem(module?.provider, module?.secret);
    if (message) ctx.addIssue({ code: "custom", message, path: ["secret"] });
  }, ALWAYS);

function isProvider(name: string): boolean {
  return WEBHOOK_PROVIDERS.includes(name.toLowerCase());
}

function secretProblem(provider: unknown, secret: unknown): string | null {
  if (typeof provider !== "string" || typeof secret !== "string" || !isProvider(provider)) {
    return null;
  }
  const name = provider.toLowerCase();
  if (name === WITHOUT_SECRET) return secret === "" ? null : `must not be set for ${name}`;
  if (secret === "") return `is required for ${name}`;
  return name !== WITH_PUBLIC_KEY || isEcdsaPublicKey(secret)
    ? null
    : `must be an ECDSA public key in base64, which ${name} shows as its verification key`;
}

function isEcdsaPublicKey(base64: string): boolean {
  const key = Buffer.from(base64, "base64");
  if (key.toString("base64") !== base64) return false;
  try {
    const { asymmetricKeyType } = createPublicKey({ key, format: "der", type: "spki" });
    return asymmetricKeyType === "ec";
  } catch {
    return false;
  }
}

export type WebhookVerification = z.output<typeof rule>;

const document = z.object({ enabled: z.boolean(), provider: z.string(), secret: z.string() });

/**
 * Allows only requests that the webhook provider signed (specification, EndpointWebhookValidation). `provider` is
 * compared ignoring case and kept as given. `secret` has at most 4096 bytes and is required for every provider but sns,
 * which must have none; it is sealed, and "" for a read-only key.
 */
export const webhookVerification: DocumentModule<
  WebhookVerification,
  WebhookVerification,
  WebhookVerification
> = {
  rule,
  store: (module, place) => ({
    stored: { ...module, secret: sealSecret(place, SECRET, module.secret) },
    value: module,
  }),
  parse: (column) => document.parse(column),
  read: (stored, place) => ({ ...stored, secret: openSecret(place, SECRET, stored.secret) }),
  sealed: [["secret"]],
};
