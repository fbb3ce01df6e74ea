const MIB = 1024 * 1024;

/** A progress of bytes, shown in MiB. */
export function ofMib(
  show: (done: number, all: number) => void,
): (done: number, all: number) => void {
  return (done, all) => show(Math.round(done / MIB), Math.round(all / MIB));
}

/** Such as `44473141 bytes (42.4 MiB)`. */
export function bytesText(bytes: number): string {
  return `${bytes} bytes (${(bytes / MIB).toFixed(1)} MiB)`;
}
