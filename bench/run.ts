import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { againstFloor, againstItself, type Cleanup } from "./contenders.js";
import { checkSameAnswers, measureRow } from "./measure.js";
import { readOptions } from "./options.js";
import { ROWS } from "./rows.js";
import { block, heading } from "./table.js";

const cleanup: Cleanup = [];
let cleaning: Promise<void> | undefined;

process.once("SIGINT", () => void cleanUp().then(() => process.exit(130)));
process.once("SIGTERM", () => void cleanUp().then(() => process.exit(143)));
try {
  await run();
} catch (error) {
  if (!cleaning) console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await cleanUp();
}

async function run(): Promise<void> {
  const options = readOptions();
  const { edges, seconds, rounds, connections, growth } = options;
  const rows = ROWS.filter(({ name }) => name.toLowerCase().includes(options.only.toLowerCase()));
  console.log(
    `${options.databaseUrl ? "PostgreSQL" : "Embedded database"}, ${edges} edges with ${edges * 5} routes, ` +
      `${connections} connections, ${rounds} rounds of ${seconds} s, Node ${process.version}`,
  );
  const contenders = await (growth > 0 ? againstItself : againstFloor)(options, cleanup);
  if (growth === 0) for (const row of rows) await checkSameAnswers(row, contenders);

  const load = fork(fileURLToPath(new URL("./load.js", import.meta.url)));
  cleanup.push(async () => void load.kill());
  console.log(`\n${heading()}`);
  for (const row of rows) {
    const measured = await measureRow(row, contenders, load, options);
    console.log(block(row, measured, options.databaseUrl !== null && growth === 0));
  }
}

function cleanUp(): Promise<void> {
  cleaning ??= (async () => {
    for (const undo of cleanup.reverse()) await undo().catch(console.error);
  })();
  return cleaning;
}
