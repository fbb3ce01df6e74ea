import { get, type IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";

interface RawAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What a GET of `url` is answered with, without the decompression that `fetch` does. */
export function rawAnswer(url: string, acceptEncoding?: string): Promise<RawAnswer> {
  const headers = acceptEncoding === undefined ? {} : { "Accept-Encoding": acceptEncoding };
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      buffer(response).then(
        (body) => resolve({ status: response.statusCode, headers: response.headers, body }),
        reject,
      );
    }).on("error", reject);
  });
}
