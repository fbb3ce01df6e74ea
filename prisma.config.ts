import { fileURLToPath } from "node:url";
import { defineConfig } from "prisma/config";

// Generating the client needs no native engine, but the command insists on one unless this names a file.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= fileURLToPath(import.meta.url);

export default defineConfig({ schema: "prisma/schema.prisma" });
