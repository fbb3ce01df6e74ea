import { type UseFormReturnType, useForm } from "@mantine/form";
import { createContext, useContext } from "react";
import type { Issue } from "../api/problems.js";
import type { Values } from "./values.js";

export type Form = UseFormReturnType<Values>;

export const FormContext = createContext<Form | null>(null);

/** The form around a field. */
export function useFields(): Form {
  const form = useContext(FormContext);
  if (!form) throw new Error("There is no form.");
  return form;
}

export function useInputForm(initial: Values): Form {
  return useForm<Values>({ initialValues: initial });
}

/** Has the form hold these values and no others, without messages. */
export function refill(form: Form, values: Values): void {
  form.setInitialValues(values);
  form.reset();
}

/** The server's messages by the fields that they are about. Its paths begin with the argument. */
export function errorsOf(issues: readonly Issue[]): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { path, message } of issues) {
    const [argument, ...field] = path;
    if (argument !== "input" || field.length === 0) continue;
    const name = field.join(".");
    errors[name] = errors[name] ? `${errors[name]}; ${message}` : message;
  }
  return errors;
}

/** What is wrong with a field, or with a value in it that has no field of its own. */
export function errorAt(form: Form, path: string): string | null {
  const own = form.errors[path];
  if (own) return String(own);
  const inner = Object.entries(form.errors).filter(([name]) => name.startsWith(`${path}.`));
  if (inner.length === 0) return null;
  return inner
    .map(([name, message]) => `${placeOf(name.slice(path.length + 1))}: ${message}`)
    .join("; ");
}

/** People count from one. */
function placeOf(rest: string): string {
  return /^\d+$/.test(rest) ? `No. ${Number(rest) + 1}` : rest;
}
