import { createHash } from "node:crypto";
import {
  type ExportEnd,
  type ExportedRow,
  type ExportHeader,
  exportEnd,
  exportHeader,
  rowIn,
} from "./format.js";

/** Bytes and rows of a batch. */
const BATCH_BYTES = 1024 * 1024;
const BATCH_ROWS = 500;

/** Rows of one table, which follow each other in the export. */
interface RowBatch {
  readonly table: string;
  readonly rows: readonly string[];
}

export interface OpenedExport {
  readonly header: ExportHeader;
  /** All rows, in batches. Throws where the export is not whole: so use nothing of it before the last batch has come. */
  batches(): AsyncGenerator<RowBatch>;
}

/** Reads the lines of an export. Throws when they are none. */
export async function openExport(lines: AsyncIterator<string>): Promise<OpenedExport> {
  const first = await lines.next();
  const header = first.done ? null : headerIn(first.value);
  if (!header) throw new Error("This is not an export of Edgeplane: its first line is no header.");
  return { header, batches: () => batchesOf(lines, first.value, header) };
}

async function* batchesOf(
  lines: AsyncIterator<string>,
  firstLine: string,
  header: ExportHeader,
): AsyncGenerator<RowBatch> {
  const digest = createHash("sha256").update(`${firstLine}\n`);
  let batch: ExportedRow[] = [];
  let bytes = 0;
  let rows = 0;
  for (let number = 2; ; number++) {
    const { done, value: line } = await lines.next();
    if (done) throw new Error("The export is cut off: its last line is missing.");
    const row = rowIn(line);
    if (!row) {
      const end = endIn(line);
      if (!end) throw new Error(`Line ${number} is none of an export.`);
      if (batch.length > 0) yield toBatch(batch);
      if (end.rows !== rows || end.sha256 !== digest.digest("hex")) {
        throw new Error("The export was changed: its digest is another one.");
      }
      if (!(await lines.next()).done) {
        throw new Error("Something follows the last line of the export.");
      }
      return;
    }
    if (!(row.table in header.tables))
      throw new Error(`Line ${number} has an unknown table, ${row.table}.`);
    digest.update(`${line}\n`);
    rows++;
    const isFull = batch.length >= BATCH_ROWS || bytes >= BATCH_BYTES;
    if (batch.length > 0 && (isFull || batch[0]?.table !== row.table)) {
      yield toBatch(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(row);
    bytes += row.row.length;
  }
}

function toBatch(rows: readonly ExportedRow[]): RowBatch {
  return { table: rows[0]?.table ?? "", rows: rows.map(({ row }) => row) };
}

function headerIn(line: string): ExportHeader | null {
  return exportHeader.safeParse(jsonIn(line)).data ?? null;
}

function endIn(line: string): ExportEnd["end"] | null {
  return exportEnd.safeParse(jsonIn(line)).data?.end ?? null;
}

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
