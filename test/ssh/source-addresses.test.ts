import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkCriticalOptions } from "../../src/domain/ssh/rules.js";
import { sshKeygen, sshKeygenIsInstalled, withFile } from "./openssh.js";

const hasSshKeygen = sshKeygenIsInstalled("source addresses against ssh-keygen -s");

const SOURCES = [
  "10.0.0.0/8",
  "0.0.0.0/0",
  "255.255.255.255/32",
  "192.0.2.7",
  "::/0",
  "::",
  "::1",
  "1::",
  "2001:db8::/32",
  "2001:DB8:0:0:0:0:0:1/128",
  "64:ff9b::192.0.2.1",
  "fe80::1,10.1.2.3,2001:db8::/33",
];

const incomplete =
  "A source address must be a complete IPv4 or IPv6 address or CIDR, without zone and leading zeros.";
const mapped = "A source address must not be an IPv4-mapped IPv6 address; give the IPv4 address.";
const mask =
  "The mask of a source address must be 0 to 32 bits for IPv4 and 0 to 128 bits for IPv6.";
const host = "A source address must not have bits set beyond its mask.";
const empty = "A source address must not be empty.";

describe("a source address", () => {
  it.each(SOURCES)("may be %s", (list) => {
    expect(checkCriticalOptions({ "source-address": list })).toEqual([]);
  });

  it.each([
    ["1.2.3", incomplete],
    ["16909060", incomplete],
    ["0x7f.0.0.1", incomplete],
    ["010.0.0.1", incomplete],
    ["256.0.0.1", incomplete],
    ["fe80::1%eth0", incomplete],
    ["fe80::1%eth0/64", incomplete],
    ["1:2:3:4:5:6:7", incomplete],
    ["12345::", incomplete],
    ["[::1]", incomplete],
    ["example.com", incomplete],
    ["!10.0.0.1", incomplete],
    ["*", incomplete],
    ["10.0.0.1, 10.0.0.2", incomplete],
    ["/8", incomplete],
    ["::ffff:1.2.3.4", mapped],
    ["::ffff:102:304", mapped],
    ["0:0:0:0:0:ffff:1.2.3.4/128", mapped],
    ["::ffff:0:0/96", mapped],
    ["10.0.0.0/", mask],
    ["10.0.0.0/08", mask],
    ["10.0.0.0/33", mask],
    ["10.0.0.0/-1", mask],
    ["10.0.0.0/+8", mask],
    ["10.0.0.0/255.0.0.0", mask],
    ["10.0.0.0/8/8", mask],
    ["::/129", mask],
    ["10.0.0.1/8", host],
    ["0.0.0.1/0", host],
    ["2001:db8::1/127", host],
    ["64:ff9b::0.0.0.1/96", host],
    [",", empty],
    ["10.0.0.1,", empty],
    ["10.0.0.1,,10.0.0.2", empty],
  ])("is refused as %s", (list, message) => {
    expect(checkCriticalOptions({ "source-address": list })).toEqual([
      { path: ["source-address"], message },
    ]);
  });

  it("with random bits is accepted exactly when none is set beyond the mask", () => {
    const ipv4 = fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }), fc.nat(32), fc.constant(32));
    const ipv6 = fc.tuple(
      fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
      fc.nat(128),
      fc.constant(128),
    );
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), fc.boolean(), ([value, length, bits], cut) => {
        const shift = BigInt(bits - length);
        const address = cut ? (value >> shift) << shift : value;
        fc.pre(bits === 32 || address >> 32n !== 0xffffn);
        const text = bits === 32 ? ipv4Text(address) : ipv6Text(address);
        const problems = checkCriticalOptions({ "source-address": `${text}/${length}` });
        expect(problems.length === 0).toBe((address >> shift) << shift === address);
      }),
      { numRuns: 500 },
    );
  });
});

function ipv4Text(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
}

function ipv6Text(value: bigint): string {
  return (value.toString(16).padStart(32, "0").match(/.{4}/g) ?? []).join(":");
}

describe.skipIf(!hasSshKeygen)("what checkCriticalOptions accepts, ssh-keygen -s accepts", () => {
  it("for source addresses of every form, one by one and all together", async () => {
    const accepts = (list: string) =>
      withFile("", async (path) => {
        const ca = `${path}-ca`;
        await sshKeygen("-q", "-t", "ed25519", "-N", "", "-f", ca);
        const option = `source-address=${list}`;
        return (await sshKeygen("-q", "-s", ca, "-I", "id", "-O", option, `${ca}.pub`)).code === 0;
      });
    const random = fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended());
    const long = Array.from({ length: 410 }, (_, index) => ipv4Text(0x64640a0an + BigInt(index)));
    const lists = [
      ...SOURCES,
      SOURCES.join(","),
      long.slice(0, 341).join(","),
      ...fc.sample(random, 60),
    ];
    const accepted = lists.filter(
      (list) => checkCriticalOptions({ "source-address": list }).length === 0,
    );
    expect(accepted.length).toBeGreaterThan(SOURCES.length + 1);
    for (const list of accepted) expect([list, await accepts(list)]).toEqual([list, true]);
  });
});
