import { z } from "zod";
import { changeBackend, insertLeafBackend, lockBackend } from "./backends.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { orUnchanged, text, texts, wholeNumber, withDefault } from "./core/fields.js";
import { headerMap } from "./modules/headers.js";
import type { HttpResponseBackend } from "./reads/backends.js";
import { changedTexts, cleared, createdTexts, newRow } from "./storage/rows.js";

const DEFAULT_STATUS_CODE = 200;
export const MAX_HEADERS = 50;
export const MAX_BODY_BYTES = 65_536;

/** A final status: one that ends a request. */
const statusCode = wholeNumber(200, 599);

const fields = {
  ...texts,
  headers: headerMap(MAX_HEADERS).nullish(),
  body: text(MAX_BODY_BYTES).nullish(),
};

export const httpResponseBackendInputs = {
  create: z.strictObject({ ...fields, statusCode: withDefault(statusCode, DEFAULT_STATUS_CODE) }),
  update: z.strictObject({ ...fields, statusCode: orUnchanged(statusCode) }),
};

export function createHttpResponseBackend(
  context: Context,
  input: z.output<typeof httpResponseBackendInputs.create>,
): Promise<HttpResponseBackend> {
  return insertLeafBackend(context, {
    ...newRow("httpResponseBackend"),
    ...createdTexts(input),
    kind: "http_response",
    statusCode: input.statusCode,
    headers: input.headers ?? {},
    body: input.body ?? "",
  });
}

/** Absent leaves a field as it is, null clears it (`statusCode` stays), a value replaces all of it. Throws NOT_FOUND. */
export function updateHttpResponseBackend(
  context: Context,
  id: string,
  input: z.output<typeof httpResponseBackendInputs.update>,
): Promise<HttpResponseBackend> {
  return inTransaction(context, async (context) => {
    const current = await lockBackend(context, "http_response", id);
    const wanted = {
      ...changedTexts(input),
      statusCode: input.statusCode,
      headers: input.headers === null ? {} : input.headers,
      body: cleared(input.body),
    };
    return changeBackend(context, current, wanted, (changed) => changed);
  });
}
