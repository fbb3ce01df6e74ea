/**
 * A value that the caller gave is refused. The message is the text the caller may read; it never
 * repeats the refused value (ssh-certificates.md, "What is refused, each with its own message").
 */
export class SshInputError extends Error {
  override readonly name = "SshInputError";
}
