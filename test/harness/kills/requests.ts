import { z } from "zod";
import { FAULTS_KEY } from "../faults.js";
import type { Fields } from "../transports.js";

/** An answer that acknowledges. */
export interface Answer {
  readonly operationId: string;
  readonly body: Fields;
}

const HEADERS = {
  Authorization: `Bearer ${FAULTS_KEY}`,
  "Service-Version": "2",
  "Content-Type": "application/json",
};

/** What `send` throws when no whole answer comes. */
export class Unanswered extends Error {}

/** Sends one request of either transport. Throws `Unanswered`, and an error for a refusal. */
export async function send(
  url: string,
  method: string,
  path: string,
  input: Fields | null = null,
): Promise<Answer> {
  const body = input === null ? {} : { body: JSON.stringify(input) };
  const { ok, status, headers, text } = await answerTo(
    fetch(url + path, { method, headers: HEADERS, ...body }),
  );
  const answer = text === "" ? {} : (JSON.parse(text) as Fields);
  if (!ok || answer.errors) throw new Error(`${method} ${path}: ${status} ${text}`);
  return { operationId: headers.get("Operation-Id") ?? "", body: answer };
}

async function answerTo(request: Promise<Response>) {
  try {
    const response = await request;
    const { ok, status, headers } = response;
    return { ok, status, headers, text: await response.text() };
  } catch {
    throw new Unanswered();
  }
}

const created = z.object({ id: z.string() });

/** The id in the answer of REST to a creation. */
export function idIn(body: Fields): string {
  return created.parse(body).id;
}
