/** As far as we use it. The published types speak of Express, which the package does not need. */
declare module "compression" {
  import type { IncomingMessage, ServerResponse } from "node:http";
  import type { BrotliOptions, ZlibOptions } from "node:zlib";

  interface Options extends ZlibOptions {
    readonly brotli?: BrotliOptions;
    /** Bytes from which answers are compressed. */
    readonly threshold?: number;
    /** Whether an answer may be compressed, once its headers are known. */
    filter?(request: IncomingMessage, response: ServerResponse): boolean;
  }

  interface Compression {
    (
      options: Options,
    ): (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
    /** Whether the content type is one that becomes shorter. */
    filter(request: IncomingMessage, response: ServerResponse): boolean;
  }

  const compression: Compression;
  export = compression;
}
