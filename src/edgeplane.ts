#!/usr/bin/env node
import { createProgram } from "./commands/program.js";

const args = process.argv.slice(2);
await createProgram().parseAsync(args.length > 0 ? args : ["serve"], { from: "user" });
