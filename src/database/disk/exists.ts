import { lstat } from "node:fs/promises";

/** Whether something has the name, also a link whose target is missing: the target must not be created again. */
export async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
}
