import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkCriticalOptions,
  checkExtensions,
  checkPrincipals,
  DEFAULT_EXTENSIONS,
  EXTENSION_NAMES,
} from "../../src/domain/ssh/rules.js";

describe("principals", () => {
  it.each([
    ["none", []],
    ["256 of them", Array.from({ length: 256 }, (_, index) => `user${index}`)],
    ["255 bytes", [`${"é".repeat(127)}a`]],
    ["a space and any script inside", ["a b c", "José", "🔑"]],
    ["names of JavaScript's own", ["__proto__", "constructor"]],
    ["names that differ in case", ["root", "Root"]],
  ])("may be %s", (_, principals) => {
    expect(checkPrincipals(principals)).toEqual([]);
  });

  it.each([
    ["empty", "", "A principal must not be empty."],
    ["of 256 bytes", "é".repeat(128), "A principal must be at most 255 bytes."],
    ["with a comma", "a,b", "A principal must not contain a comma."],
    ["with a NUL", "a\0b", "A principal must not contain control characters."],
    ["with a newline", "a\nb", "A principal must not contain control characters."],
    ["with a tab", "a\tb", "A principal must not contain control characters."],
    ["with an escape", "a\u001b[2Jb", "A principal must not contain control characters."],
    ["with a DEL", "a\u007fb", "A principal must not contain control characters."],
    ["with a next line", "a\u0085b", "A principal must not contain control characters."],
    ["with a space before it", " a", "A principal must not begin or end with a space."],
    ["with a space after it", "a ", "A principal must not begin or end with a space."],
    ["with half a character", "a\udc00b", "A principal must be well-formed Unicode text."],
  ])("are refused when one is %s", (_, principal, message) => {
    expect(checkPrincipals(["root", principal])).toEqual([{ path: [1], message }]);
  });

  it("are refused when one is there twice", () => {
    const message = "This principal is already in the list.";
    expect(checkPrincipals(["a", "b", "a", "a"])).toEqual([
      { path: [2], message },
      { path: [3], message },
    ]);
  });

  it("are refused when there are 257", () => {
    const many = Array.from({ length: 257 }, () => ",");
    expect(checkPrincipals(many)).toEqual([
      { path: [], message: "At most 256 principals are allowed.", limit: 256 },
    ]);
  });

  it("get all their problems at once", () => {
    expect(checkPrincipals([" ,\0\n", "", ""]).map(({ path }) => path)).toEqual([
      [0],
      [0],
      [0],
      [1],
      [2],
      [2],
    ]);
  });

  it("of any text are accepted exactly when no rule is broken", () => {
    const principal = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.string({ unit: fc.constantFrom("a", ",", "\0", "\n", " ", "é", "\ud800") }),
    );
    fc.assert(
      fc.property(fc.array(principal, { maxLength: 4 }), (principals) => {
        const isFine = (text: string) =>
          Buffer.byteLength(text) >= 1 &&
          Buffer.byteLength(text) <= 255 &&
          !/[,\p{Cc}]/u.test(text) &&
          text.trim() === text &&
          Buffer.from(text).toString() === text;
        const expected = principals.every(isFine) && new Set(principals).size === principals.length;
        expect(checkPrincipals(principals).length === 0).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});

describe("critical options", () => {
  it.each([
    ["none", {}],
    ["both", { "force-command": 'sh -c "echo é"', "source-address": "10.0.0.0/8" }],
    ["a command of 4096 bytes", { "force-command": "x".repeat(4096) }],
  ])("may be %s", (_, options) => {
    expect(checkCriticalOptions(options)).toEqual([]);
  });

  const only = "A critical option must be one of force-command, source-address.";
  it.each([
    ["unknown", "verify-required", "", only],
    ["of another case", "Force-Command", "ls", only],
    ["JavaScript's own", "constructor", "x", only],
    [
      "an empty command",
      "force-command",
      "",
      "The critical option force-command must not be empty.",
    ],
    [
      "a command of 4097 bytes",
      "force-command",
      `${"é".repeat(2048)}x`,
      "The critical option force-command must be at most 4096 bytes.",
    ],
    ...["\0", "\n", "\t", "\u001b", "\u007f", "\u0085"].map((character) => [
      `a command with ${JSON.stringify(character)}`,
      "force-command",
      `a${character}b`,
      "A forced command must not contain control characters.",
    ]),
    [
      "a command with half a character",
      "force-command",
      "\ud800",
      "A forced command must be well-formed Unicode text.",
    ],
    [
      "an empty source",
      "source-address",
      "",
      "The critical option source-address must not be empty.",
    ],
    [
      "sources of more than 4096 bytes",
      "source-address",
      Array.from({ length: 513 }, () => "10.0.0.1").join(","),
      "The critical option source-address must be at most 4096 bytes.",
    ],
  ])("are refused when one is %s", (_, name, value, message) => {
    expect(checkCriticalOptions({ [name ?? ""]: value ?? "" })).toEqual([
      { path: [name], message },
    ]);
  });

  it("get all their problems at once", () => {
    const given = {
      "force-command": "\0\ud800",
      "source-address": "1.2.3,10.0.0.1/8,1.2",
      other: "",
    };
    expect(checkCriticalOptions(given).map(({ path }) => path[0])).toEqual([
      "force-command",
      "force-command",
      "source-address",
      "source-address",
      "other",
    ]);
  });
});

describe("extensions", () => {
  const names =
    "An extension must be one of no-touch-required, permit-X11-forwarding, permit-agent-forwarding, permit-port-forwarding, permit-pty, permit-user-rc, or a custom name@domain of at most 64 printable ASCII characters.";

  it("default to a terminal and the user's rc file", () => {
    expect(DEFAULT_EXTENSIONS).toEqual({ "permit-pty": "", "permit-user-rc": "" });
    expect(checkExtensions(DEFAULT_EXTENSIONS)).toEqual([]);
  });

  it.each([
    ["none", {}],
    ["all that OpenSSH defines", Object.fromEntries(EXTENSION_NAMES.map((name) => [name, ""]))],
    ["custom, with or without a value", { "login@github.com": "é\n", "flag@host": "" }],
    ["a name of 64 characters", { [`${"a".repeat(62)}@b`]: "" }],
    ["16 KiB in all", { "a@b": "x".repeat(16_384 - 3 - 12) }],
  ])("may be %s", (_, extensions) => {
    expect(checkExtensions(extensions)).toEqual([]);
  });

  it.each([
    "permit-everything",
    "Permit-pty",
    "",
    "a@",
    "@b",
    "a@b@c",
    "a b@c",
    "a,b@c",
    "é@b",
    "a@é",
    "a@b..c",
    "a@-b",
    "a@b-",
    "a@b\n",
    `${"a".repeat(63)}@b`,
  ])("are refused when one is %j", (name) => {
    expect(checkExtensions({ [name]: "" })).toEqual([{ path: [name], message: names }]);
  });

  it("are refused when one of OpenSSH's has a value", () => {
    expect(checkExtensions({ "permit-pty": "yes" })).toEqual([
      { path: ["permit-pty"], message: "The extension permit-pty must have an empty value." },
    ]);
  });

  it("are refused when a value has half a character", () => {
    expect(checkExtensions({ "a@b": "\ud800" })).toEqual([
      { path: ["a@b"], message: "The value of an extension must be well-formed Unicode text." },
    ]);
  });

  it("are refused above 16 KiB in all", () => {
    expect(checkExtensions({ "a@b": "x".repeat(16_384 - 3 - 11) })).toEqual([
      { path: [], message: "Extensions must be at most 16384 bytes in all.", limit: 16_384 },
    ]);
  });

  it("get all their problems at once", () => {
    const given = { "permit-pty": "x", unknown: "\ud800", "a@b": "x".repeat(20_000) };
    expect(checkExtensions(given).map(({ path }) => path)).toEqual([
      ["permit-pty"],
      ["unknown"],
      ["unknown"],
      [],
    ]);
  });
});
