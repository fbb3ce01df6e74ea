import { builder } from "../builder/builder.js";
import type { InputFields } from "../builder/inputs.js";

interface SessionSettings {
  readonly optionsPassthrough: boolean;
  readonly cookiePrefix: string;
  readonly inactivityTimeout: number;
  readonly maximumDuration: number;
}

export const Session = builder.interfaceRef<SessionSettings>("Session").implement({
  description: "What the modules have in common that let users log in.",
  fields: (t) => ({
    optionsPassthrough: t.exposeBoolean("optionsPassthrough", {
      description: "Whether OPTIONS requests pass without a login, as CORS needs.",
    }),
    cookiePrefix: t.exposeString("cookiePrefix", {
      description: "What the name of the session cookie begins with.",
    }),
    inactivityTimeout: t.expose("inactivityTimeout", {
      type: "UInt32",
      description: "Seconds without a request after which a user logs in again; 0 for no limit.",
    }),
    maximumDuration: t.expose("maximumDuration", {
      type: "UInt32",
      description: "Seconds since the login after which a user logs in again; 0 for no limit.",
    }),
  }),
});

export function sessionInputs(t: InputFields) {
  return {
    optionsPassthrough: t.boolean({
      description:
        "Whether OPTIONS requests pass without a login, as CORS needs; false when unspecified.",
    }),
    cookiePrefix: t.string({
      description:
        "What the name of the session cookie begins with: ASCII letters, digits and dots, at most 128 bytes; `ngrok.` when unspecified.",
    }),
    inactivityTimeout: t.field({
      type: "UInt32",
      description:
        "Seconds without a request after which a user logs in again; 0, for no limit, when unspecified.",
    }),
    maximumDuration: t.field({
      type: "UInt32",
      description:
        "Seconds since the login after which a user logs in again; 0, for no limit, when unspecified.",
    }),
  };
}
