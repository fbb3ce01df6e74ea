import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Cleanup, withCleanup } from "./cleanup.js";
import { againstItself, againstOthers } from "./line-up.js";
import { checkSameAnswers, measureRow } from "./measure.js";
import { readOptions } from "./options.js";
import { ROWS } from "./rows.js";
import { comparison, growthTable } from "./table.js";

await withCleanup(run);

async function run(cleanup: Cleanup): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  const { edges, seconds, rounds, connections, growth } = options;
  const rows = ROWS.filter(({ name }) => name.toLowerCase().includes(options.only.toLowerCase()));
  console.log(
    `${options.databaseUrl ? "PostgreSQL" : "Embedded database"}, ${edges} edges with ${edges * 5} routes, ` +
      `${connections} connections, ${rounds} rounds of ${seconds} s, Node ${process.version}`,
  );
  const compare = growth > 0 ? againstItself : againstOthers;
  const { contenders, leftOut } = await compare(options, cleanup);
  for (const sentence of leftOut) console.log(sentence);
  if (growth === 0) for (const row of rows) await checkSameAnswers(row, contenders);

  const load = fork(fileURLToPath(new URL("./load.js", import.meta.url)));
  cleanup.push(async () => void load.kill());
  const names = contenders.map(({ name }) => name);
  const table = growth > 0 ? growthTable(names) : comparison(names);
  console.log(`\n${table.heading}`);
  for (const row of rows) {
    console.log(table.block(row, await measureRow(row, contenders, load, options)));
  }
}
