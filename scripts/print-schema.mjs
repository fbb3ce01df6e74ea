// npm run schema: writes the GraphQL schema as it stands in the code.
import { writeFileSync } from "node:fs";
import { lexicographicSortSchema, printSchema } from "graphql";
import { schema } from "../dist/schema/index.js";

writeFileSync("schema.graphql", `${printSchema(lexicographicSortSchema(schema))}\n`);
