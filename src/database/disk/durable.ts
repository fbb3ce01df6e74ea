import { open } from "node:fs/promises";
import path from "node:path";

/** Makes creates, renames and removals in `folder` survive a power cut, where the system supports that. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!(error instanceof Error && "code" in error && NOT_OFFERED.has(error.code))) throw error;
  }
}

/** Folders that may be written but not read, and systems that open no folders or do not sync them. */
const NOT_OFFERED: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EISDIR", "EINVAL", "EBADF"]);

/** The same for each folder on the way from `first`, which was made, to `last`. */
export async function syncMade(first: string, last: string): Promise<void> {
  for (let folder = path.resolve(last); ; folder = path.dirname(folder)) {
    await syncFolder(path.dirname(folder));
    if (folder === path.resolve(first)) return;
  }
}
