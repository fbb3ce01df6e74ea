import type { ResourceKind } from "../../domain/core/ids.js";
import { targetKey } from "../../domain/reads/statement.js";
import type { ResourceIn, Resources } from "../../domain/reads/tables.js";
import type { Table } from "../../domain/storage/graph.js";
import type { Connection } from "../builder/connections.js";

// What a statement has brought is as its shape says, which was made for the fields that look for it.

function broughtBy(owner: object, key: string): unknown {
  return (owner as Readonly<Record<string, unknown>>)[key];
}

export function brought<To extends Table>(owner: object, member: string) {
  return broughtBy(owner, targetKey(member)) as ResourceIn<To> | null | undefined;
}

export function broughtList<To extends Table>(owner: object, member: string) {
  return broughtBy(owner, targetKey(member)) as ResourceIn<To>[] | undefined;
}

export function broughtPage<Kind extends ResourceKind>(owner: object, key: string) {
  return broughtBy(owner, key) as Connection<Resources[Kind]> | undefined;
}
