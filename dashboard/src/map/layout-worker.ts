import Elk, { type ElkNode } from "elkjs/lib/elk-api.js";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";

// Layouts are made in a worker, so the page moves on meanwhile.

let elk: InstanceType<typeof Elk> | undefined;

/** Finds places for the nodes of a graph. The worker begins with the first one. */
export function layOut(graph: ElkNode): Promise<ElkNode> {
  elk ??= new Elk({ workerFactory: () => new Worker(workerUrl) });
  return elk.layout(graph);
}

/** Loads the worker while other things are read. */
export function prepareLayout(): void {
  void layOut({ id: "empty" });
}
