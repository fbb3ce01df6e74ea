import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cidr, hostport, isDnsName } from "../src/domain/formats/networks.js";
import { problems } from "./modules/support.js";

const problemOf = (rule: typeof cidr, value: unknown) => problems(rule, value)[""];

describe("hostport", () => {
  it("takes names, wildcards and addresses with a port, as given", () => {
    const names = ["example.com", "*.Example.com", "localhost", "my_service", "a-b.c", "xn--p1ai"];
    const addresses = ["10.0.0.1", "[::1]", "[2001:db8::1]", "[::ffff:1.2.3.4]"];
    for (const host of [...names, ...addresses, `${"a.".repeat(126)}a`, "a".repeat(63)]) {
      for (const port of [1, 443, 65_535]) {
        expect(hostport.parse(`${host}:${port}`)).toBe(`${host}:${port}`);
      }
    }
  });

  it("takes every port from 1 to 65535 and no other", () => {
    fc.assert(
      fc.property(fc.integer({ min: -10, max: 70_000 }), (port) => {
        expect(problemOf(hostport, `a.b:${port}`) === undefined).toBe(port >= 1 && port <= 65_535);
      }),
    );
    for (const port of [
      "0",
      "00080",
      "080",
      "65536",
      "99999",
      "4e2",
      " 80",
      "+80",
      "0x50",
      "",
      "80 ",
    ]) {
      expect(problemOf(hostport, `a.b:${port}`)).toMatch(/port from 1 to 65535/);
    }
  });

  it("refuses hosts that are neither", () => {
    const bad = [
      ...[
        "-a.b",
        "a-.b",
        "a..b",
        ".a",
        "a.",
        "*",
        "*.",
        "a.*.b",
        "**.a",
        "é.b",
        "a b",
        "a/b",
        "a@b",
      ],
      ...["1.2.3", "1.2.3.256", "01.2.3.4", "::1", "[1.2.3.4]", "[::1", "[fe80::1%eth0]", "[]"],
      ...["a".repeat(64), "a.".repeat(127), `*.${"a.".repeat(125)}aa`, "a\0", "a\n", "https://a"],
    ];
    for (const host of bad) expect(problemOf(hostport, `${host}:80`), host).toMatch(/^must begin/);
    for (const value of ["", "a", ":80", "example.com"]) {
      expect(problemOf(hostport, value)).toMatch(/a host, a colon and a port/);
    }
    for (const value of [null, 80, ["a:80"]])
      expect(problemOf(hostport, value)).toBe("must be a string");
  });

  it("knows DNS names", () => {
    const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/);
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 8 }), (labels) => {
        expect(isDnsName(labels.join("."))).toBe(true);
      }),
    );
    expect(isDnsName("a".repeat(63))).toBe(true);
    expect(isDnsName("-".repeat(100_000))).toBe(false);
  });
});

describe("cidr", () => {
  it("takes networks by their lowest address, as given", () => {
    const good = [
      "0.0.0.0/0",
      "10.0.0.0/8",
      "192.168.1.128/25",
      "1.2.3.4/32",
      "::/0",
      "2001:DB8::/32",
    ];
    for (const value of [
      ...good,
      "::1/128",
      "2001:0db8:0:0::/64",
      "::ffff:1.2.3.0/120",
      "fe80::/10",
    ]) {
      expect(cidr.parse(value)).toBe(value);
    }
  });

  it("takes an IPv4 network exactly when no bit is set behind the prefix", () => {
    const given = fc.tuple(
      fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      fc.integer({ min: 0, max: 32 }),
    );
    fc.assert(
      fc.property(given, fc.boolean(), ([bits, prefix], cut) => {
        const size = 2 ** (32 - prefix);
        const address = cut ? bits - (bits % size) : bits;
        const dotted = [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");
        const problem = problemOf(cidr, `${dotted}/${prefix}`);
        expect(problem === undefined).toBe(address % size === 0);
      }),
    );
  });

  it("names the network that was probably meant", () => {
    expect(problemOf(cidr, "10.1.2.3/8")).toBe(
      "must begin with the lowest address of its network: 10.0.0.0/8",
    );
    expect(problemOf(cidr, "2001:db8::1/64")).toMatch(/2001:db8::\/64$/);
  });

  it("requires a prefix length that fits", () => {
    expect(problemOf(cidr, "10.0.0.1")).toMatch(/such as 10.0.0.1\/32/);
    expect(problemOf(cidr, "::1")).toMatch(/such as ::1\/128/);
    for (const prefix of ["", "33", "-1", "08", "8 ", "1e1", "255.0.0.0", "8/8"]) {
      expect(problemOf(cidr, `10.0.0.0/${prefix}`)).toMatch(/from 0 to 32/);
    }
    expect(problemOf(cidr, "::/129")).toMatch(/from 0 to 128/);
  });

  it("refuses other forms of addresses", () => {
    const bad = [
      "",
      "/8",
      "10/8",
      "10.0/8",
      "010.0.0.0/8",
      "0x0a.0.0.0/8",
      "167772160/8",
      "10.0.0.256/8",
    ];
    for (const value of [
      ...bad,
      "fe80::%eth0/10",
      "[::]/0",
      "a/8",
      " 10.0.0.0/8",
      "10.0.0.0\0/8",
    ]) {
      expect(problemOf(cidr, value), value).toMatch(/IPv4 or IPv6 network/);
    }
  });
});
