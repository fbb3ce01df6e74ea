// Node has WebAssembly; its type package leaves it to the DOM library, which a server should not see.
declare namespace WebAssembly {
  function instantiate(
    source: Uint8Array,
    imports: Record<string, Record<string, unknown>>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
}
