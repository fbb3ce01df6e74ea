import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Cleanup, withCleanup } from "./cleanup.js";
import { lineUp } from "./line-up.js";
import { checkSameAnswers, measureRow } from "./measure.js";
import { readOptions } from "./options.js";
import { ROWS } from "./rows.js";
import { comparison, GROWTH_GOAL, ownComparison } from "./table.js";

await withCleanup(run);

async function run(cleanup: Cleanup): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  const { edges, seconds, rounds, connections, growth, processes } = options;
  const rows = ROWS.filter(({ name }) => name.toLowerCase().includes(options.only.toLowerCase()));
  console.log(
    `${options.databaseUrl ? "PostgreSQL" : "Embedded database"}, ${edges} edges with ${edges * 5} routes, ` +
      `${connections} connections, ${rounds} rounds of ${seconds} s, Node ${process.version}`,
  );
  const isOfItself = growth > 0 || processes > 0;
  const { contenders, leftOut } = await lineUp(options, cleanup);
  for (const sentence of leftOut) console.log(sentence);
  if (growth === 0) for (const row of rows) await checkSameAnswers(row, contenders);

  const load = fork(fileURLToPath(new URL("./load.js", import.meta.url)));
  cleanup.push(async () => void load.kill());
  const names = contenders.map(({ name }) => name);
  const table = isOfItself
    ? ownComparison(names, growth > 0 ? GROWTH_GOAL : undefined)
    : comparison(names);
  console.log(`\n${table.heading}`);
  for (const row of rows) {
    console.log(table.block(row, await measureRow(row, contenders, load, options)));
  }
}
