import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SshInputError } from "../../src/domain/ssh/errors.js";
import {
  encodeMpint,
  encodeString,
  encodeUint32,
  encodeUint64,
  wireReader,
} from "../../src/domain/ssh/wire.js";

describe("mpint", () => {
  it.each([
    [0n, "00000000"],
    [0x9a378f9b2e332a7n, "0000000809a378f9b2e332a7"],
    [0x80n, "000000020080"],
  ])("encodes %d as RFC 4251 section 5 shows", (value, hex) => {
    expect(encodeMpint(value).toString("hex")).toBe(hex);
    expect(wireReader(Buffer.from(hex, "hex")).mpint()).toBe(value);
  });

  it("refuses to encode a negative number", () => {
    expect(() => encodeMpint(-1n)).toThrow(RangeError);
  });

  it.each([
    ["a negative number", "00000002edcc", "A number in the key is negative."],
    ["a lone zero byte", "0000000100", "A number in the key has needless leading zeros."],
    ["a needless zero byte", "00000002007f", "A number in the key has needless leading zeros."],
  ])("refuses to read %s", (_, hex, message) => {
    expect(() => wireReader(Buffer.from(hex, "hex")).mpint()).toThrow(new SshInputError(message));
  });
});

describe("wireReader", () => {
  it("reads back everything that was encoded, and then has nothing left", () => {
    const values = fc.record({
      text: fc.string({ unit: "grapheme" }),
      bytes: fc.uint8Array(),
      number: fc.bigInt({ min: 0n, max: 2n ** 4096n }),
      uint32: fc.nat(0xffffffff),
      uint64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    });
    fc.assert(
      fc.property(values, ({ text, bytes, number, uint32, uint64 }) => {
        const reader = wireReader(
          Buffer.concat([
            encodeString(text),
            encodeString(bytes),
            encodeMpint(number),
            encodeUint32(uint32),
            encodeUint64(uint64),
          ]),
        );
        expect(reader.string().toString("utf8")).toBe(text);
        expect(reader.string()).toEqual(Buffer.from(bytes));
        expect(reader.mpint()).toBe(number);
        expect(reader.uint32()).toBe(uint32);
        expect(reader.uint64()).toBe(uint64);
        expect(reader.remaining()).toBe(0);
      }),
    );
  });

  it("refuses data that end early, wherever they end", () => {
    const whole = encodeString("ssh-ed25519");
    for (let length = 0; length < whole.length; length++) {
      const read = () => wireReader(whole.subarray(0, length)).string();
      expect(read).toThrow(new SshInputError("The key data ends too early."));
    }
  });
});
