import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** All of it. */
  readonly bytes: string;
}

/**
 * Sends `bytes` as they are on a connection of their own; returns the first answer once it is whole, or, with
 * `untilClosed`, once the server has closed the connection. With `thenEnd` the client ends its side.
 */
export function sendRaw(
  url: string,
  bytes: string | Buffer,
  { thenEnd = false, untilClosed = false } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    const text = () => Buffer.concat(chunks).toString("latin1");
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (!untilClosed && isWhole(text())) socket.destroy();
    });
    socket.on("close", () => resolve(parsed(text())));
    // A server that closes while more is being sent resets the connection; what it has answered counts.
    socket.on("error", (error) => (chunks.length === 0 ? reject(error) : undefined));
    socket.write(bytes);
    if (thenEnd) socket.end();
  });
}

function isWhole(text: string): boolean {
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1];
  const { body } = parsed(text);
  return length === undefined ? body.endsWith("0\r\n\r\n") : body.length >= Number(length);
}

function parsed(bytes: string): RawAnswer {
  const end = bytes.indexOf("\r\n\r\n");
  const [line = "", ...lines] = bytes.slice(0, end).split("\r\n");
  const headers = lines.map((each) => {
    const colon = each.indexOf(":");
    return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()];
  });
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]),
    headers: Object.fromEntries(headers),
    body: end < 0 ? "" : bytes.slice(end + 4),
    bytes,
  };
}
