/** The token in a header `Authorization: Bearer <API key>`; "" when there is none. No key has the token "". */
export function tokenIn(authorization: string | undefined): string {
  return /^Bearer +([\x21-\x7e]{1,512}) *$/i.exec(authorization ?? "")?.[1] ?? "";
}

/** The refusal of a request without a valid API key, for both transports. */
export const UNAUTHENTICATED = {
  status: 401,
  headers: { "WWW-Authenticate": "Bearer" },
  message: "This needs a valid API key in the header: Authorization: Bearer <API key>.",
};
