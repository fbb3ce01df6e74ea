import { describe, expect, it } from "vitest";
import { moduleNamesOf, NAMES_IN_ORDER_OF_ACTION } from "../../src/domain/modules/index.js";
import { everyRouteModule, shownRouteModules } from "../harness/modules.js";

describe("the list of modules", () => {
  it("has those of a route that the tests give and expect", () => {
    const names = [...moduleNamesOf("httpsEdgeRoute")].sort();
    expect(Object.keys(everyRouteModule("", "")).sort()).toEqual(names);
    expect(Object.keys(shownRouteModules("", "", "")).sort()).toEqual(names);
  });

  it("has each module once among those that act, from TLS to the log", () => {
    expect([...NAMES_IN_ORDER_OF_ACTION].sort()).toEqual(
      [
        ...new Set([
          ...moduleNamesOf("httpsEdge"),
          ...moduleNamesOf("httpsEdgeRoute"),
          ...moduleNamesOf("tlsEdge"),
          ...moduleNamesOf("tcpEdge"),
          ...moduleNamesOf("endpointConfiguration"),
        ]),
      ].sort(),
    );
    expect(NAMES_IN_ORDER_OF_ACTION.slice(0, 2)).toEqual(["tlsTermination", "mutualTls"]);
    expect(NAMES_IN_ORDER_OF_ACTION.slice(-2)).toEqual(["responseHeaders", "logging"]);
  });
});
