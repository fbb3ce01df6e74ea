import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeyring } from "../src/domain/core/keyring.js";

const key = randomBytes(32);
const keyring = createKeyring([key]);
const text = fc.string({ unit: "grapheme", maxLength: 200 });

describe("a keyring", () => {
  it("opens what it sealed, for the same purpose", () => {
    fc.assert(
      fc.property(text, text, (secret, purpose) => {
        const sealed = keyring.seal(secret, purpose);
        expect(keyring.open(sealed, purpose)).toBe(secret);
      }),
    );
  });

  it("shows nothing of the secret, and seals it differently each time", () => {
    const secret = "hunter2-hunter2";
    const sealed = [keyring.seal(secret, "a"), keyring.seal(secret, "a")];
    expect(sealed[0]).not.toBe(sealed[1]);
    for (const each of sealed) {
      expect(each).not.toContain(secret);
      expect(Buffer.from(each.split(".")[1] ?? "", "base64").toString("latin1")).not.toContain(
        secret,
      );
    }
  });

  it("does not open for another purpose", () => {
    fc.assert(
      fc.property(text, text, text, (secret, purpose, other) => {
        fc.pre(purpose !== other);
        const sealed = keyring.seal(secret, purpose);
        expect(() => keyring.open(sealed, other)).toThrow();
      }),
    );
  });

  it("does not open when any bit was changed", () => {
    const sealed = keyring.seal("a secret", "purpose");
    const [keyId, payload = ""] = sealed.split(".");
    const bytes = Buffer.from(payload, "base64");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => keyring.open(`${keyId}.${changed.toString("base64")}`, "purpose")).toThrow();
    }
  });

  it("does not open when any character was changed, removed or added", () => {
    const character = fc.constantFrom(..."ABCDabcd0189+/=. \n-_");
    const edit = fc.record({
      at: fc.nat(100),
      remove: fc.constantFrom(0, 1, 2),
      insert: fc.array(character, { maxLength: 2 }).map((parts) => parts.join("")),
    });
    fc.assert(
      fc.property(text, edit, (secret, { at, remove, insert }) => {
        const sealed = keyring.seal(secret, "purpose");
        const changed = sealed.slice(0, at) + insert + sealed.slice(at + remove);
        fc.pre(changed !== sealed);
        expect(() => keyring.open(changed, "purpose")).toThrow();
      }),
      { numRuns: 1000 },
    );
  });

  it("does not open what was cut off, down to nothing", () => {
    const sealed = keyring.seal("", "purpose");
    for (let length = 0; length < sealed.length; length++) {
      expect(() => keyring.open(sealed.slice(0, length), "purpose")).toThrow();
    }
  });

  it("rotates: seals with its first key, opens with each, until a key is dropped", () => {
    const newKey = randomBytes(32);
    const rotated = createKeyring([newKey, key]);
    const old = keyring.seal("a secret", "purpose");
    expect(rotated.open(old, "purpose")).toBe("a secret");
    const fresh = rotated.seal("a secret", "purpose");
    expect(fresh.split(".")[0]).not.toBe(old.split(".")[0]);
    expect(() => keyring.open(fresh, "purpose")).toThrow(/needs the encryption key [0-9a-f]{8}, /);
    expect(createKeyring([newKey]).open(fresh, "purpose")).toBe("a secret");
    expect(() => createKeyring([newKey]).open(old, "purpose")).toThrow(
      /Restore the file encryption.key in DATA_DIR/,
    );
  });

  it("needs a key, and names none in what it seals", () => {
    expect(() => createKeyring([])).toThrow("A keyring needs at least one key.");
    const sealed = keyring.seal("a secret", "purpose");
    expect(sealed).toMatch(/^[0-9a-f]{8}\.[A-Za-z0-9+/]+=*$/);
    expect(sealed).not.toContain(key.toString("base64").slice(0, 8));
    expect(key.toString("hex")).not.toContain(sealed.slice(0, 8));
  });
});
