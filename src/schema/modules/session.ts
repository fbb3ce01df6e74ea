import { MAX_COOKIE_PREFIX_BYTES } from "../../domain/modules/session.js";
import { builder } from "../builder/builder.js";
import type { InputFields } from "../builder/inputs.js";

interface SessionSettings {
  readonly optionsPassthrough: boolean;
  readonly cookiePrefix: string;
  readonly inactivityTimeout: number;
  readonly maximumDuration: number;
}

export const Session = builder.interfaceRef<SessionSettings>("Session").implement({
  description: "The fields that every module with a user login has.",
  fields: (t) => ({
    optionsPassthrough: t.exposeBoolean("optionsPassthrough", {
      description: "Whether OPTIONS requests are allowed without a login, as CORS requires.",
    }),
    cookiePrefix: t.exposeString("cookiePrefix", {
      description: "The prefix of the name of the session cookie.",
    }),
    inactivityTimeout: t.expose("inactivityTimeout", {
      type: "UInt32",
      description:
        "The number of seconds without a request after which a user must log in again; 0 means no limit.",
    }),
    maximumDuration: t.expose("maximumDuration", {
      type: "UInt32",
      description:
        "The number of seconds after a login until the user must log in again; 0 means no limit.",
    }),
  }),
});

export function sessionInputs(t: InputFields) {
  return {
    optionsPassthrough: t.boolean({
      description:
        "Whether OPTIONS requests are allowed without a login, as CORS requires; default false.",
    }),
    cookiePrefix: t.string({
      description: `The prefix of the name of the session cookie: ASCII letters, digits and dots, at most ${MAX_COOKIE_PREFIX_BYTES} bytes; default \`ngrok.\`.`,
    }),
    inactivityTimeout: t.field({
      type: "UInt32",
      description:
        "The number of seconds without a request after which a user must log in again. Default 0, which means no limit.",
    }),
    maximumDuration: t.field({
      type: "UInt32",
      description:
        "The number of seconds after a login until the user must log in again. Default 0, which means no limit.",
    }),
  };
}
