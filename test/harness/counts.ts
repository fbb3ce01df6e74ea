import { readFileSync } from "node:fs";
import { resources, type TestResource } from "./resources.js";
import { type Fields, graphql, rest, type Target } from "./transports.js";

/** Counts by name, without those that are zero. */
export type Counts = Record<string, number>;

const COUNT_AGAIN = "prisma/migrations/20261121160000_count_again/migration.sql";

/** The migration, for the name that its table has by now. */
export function countAgain(): string {
  return readFileSync(COUNT_AGAIN, "utf8").replaceAll('"tallies"', '"counts"');
}

/** How much there is of everything, as the overview says. */
export async function overview(server: Target): Promise<Counts> {
  const { overview } = await graphql(
    server,
    "{ overview { resources { type count } modules { owner kind enabled disabled } } }",
  );
  const counts: [string, number][] = [
    ...overview.resources.map(({ type, count }: Fields) => [type, count]),
    ...overview.modules.flatMap(({ owner, kind, enabled, disabled }: Fields) => [
      [`${owner} ${kind} enabled`, enabled],
      [`${owner} ${kind} disabled`, disabled],
    ]),
  ];
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

/** The same, by looking at every resource over REST. */
export async function counted(server: Target): Promise<Counts> {
  const counts: Counts = {};
  const add = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  for (const resource of resources) {
    const kind = enumName(resource.one);
    for (const item of await all(server, resource)) {
      add(kind);
      for (const [owner, fields] of [[kind, item], ...routesIn(item)] as const) {
        if (owner !== kind) add(owner);
        for (const [name, module] of Object.entries(fields)) {
          if (OWNERS.includes(owner) && typeof module?.enabled === "boolean") {
            add(`${owner} ${enumName(name)} ${module.enabled ? "enabled" : "disabled"}`);
          }
        }
      }
    }
  }
  return counts;
}

const OWNERS = ["HTTPS_EDGE", "HTTPS_EDGE_ROUTE", "TLS_EDGE", "TCP_EDGE"];
const enumName = (name: string) =>
  name.replace(/[A-Z]|_[a-z]/g, (part) => `_${part.replace("_", "")}`).toUpperCase();
const routesIn = ({ routes = [] }: Fields): [string, Fields][] =>
  routes.map((route: Fields) => ["HTTPS_EDGE_ROUTE", route]);

async function all(server: Target, { path, listKey }: TestResource): Promise<Fields[]> {
  const items: Fields[] = [];
  for (let url: string | null = path; url !== null; ) {
    const { body } = await rest(server, "GET", url);
    items.push(...body[listKey]);
    url = body.next_page_uri;
  }
  return items;
}
