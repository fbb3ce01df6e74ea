import { Button, Group, Stack } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { type FormEvent, type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import type { Problem } from "../api/problems.js";
import { ProblemAlert } from "../components/problem-alert.js";
import type { AppliedChange } from "../resources/resource.js";
import { errorsOf, type Form, FormContext } from "./form.js";
import { InputFields } from "./input-fields.js";
import { Preview } from "./preview.js";
import { UnsavedChanges } from "./unsaved-changes.js";
import { filledIn, isEmpty, type Values, valueAt } from "./values.js";

const TYPING_MS = 500;

/** What a mutation did or would do, or why it was refused. */
export type Outcome =
  | { readonly changes: readonly AppliedChange[] }
  | { readonly problem: Problem };

interface ResourceFormProps {
  readonly form: Form;
  /** The name of the input in the schema. */
  readonly type: string;
  readonly without?: readonly string[];
  readonly submitLabel: string;
  /** Whether there is something to save. */
  readonly isChanged: boolean;
  /** Whether leaving would lose something that was typed. */
  readonly isUnsaved: boolean;
  /** Asks the server what saving would do. */
  check(values: Values): Promise<Outcome>;
  /** Resolves with why it was refused, or null. */
  save(values: Values): Promise<Problem | null>;
  /** What else can be done with the form. */
  readonly children?: ReactNode;
}

/**
 * A form for an input. While it is filled in, the server says what is wrong at each field and what saving would do; it
 * does not scold about fields that are empty before they are to be saved.
 */
export function ResourceForm(props: ResourceFormProps) {
  const {
    form,
    type,
    without = [],
    submitLabel,
    isChanged,
    isUnsaved,
    check,
    save,
    children,
  } = props;
  const { values, setErrors } = form;
  const [problem, setProblem] = useState<Problem | null>(null);
  const [changes, setChanges] = useState<readonly AppliedChange[]>([]);
  const [isSaving, setSaving] = useState(false);
  const asked = useRef(0);
  const place = useRef<HTMLFormElement>(null);
  const summary = useRef<HTMLDivElement>(null);

  const checkSoon = useDebouncedCallback(async (checked: Values) => {
    asked.current += 1;
    const current = asked.current;
    const outcome = await check(checked);
    // Somebody typed on, or saved.
    if (current !== asked.current) return;
    setProblem(null);
    setChanges("changes" in outcome ? outcome.changes : []);
    const errors = "problem" in outcome ? errorsOf(outcome.problem.issues) : {};
    const filled = filledIn(checked);
    setErrors(
      Object.fromEntries(
        Object.entries(errors).filter(([path]) => !isEmpty(valueAt(filled, path))),
      ),
    );
  }, TYPING_MS);
  /** What a check says that was begun before would be about other values. */
  const forgetChecks = useCallback(() => {
    asked.current += 1;
    checkSoon.cancel();
    setChanges([]);
  }, [checkSoon]);
  useEffect(() => {
    if (isChanged) checkSoon(values);
    else forgetChecks();
  }, [values, isChanged, checkSoon, forgetChecks]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    forgetChecks();
    setSaving(true);
    try {
      const refused = await save(values);
      setProblem(refused);
      setErrors(refused ? errorsOf(refused.issues) : {});
    } finally {
      setSaving(false);
    }
  };
  // Who cannot see the messages is where the first of them is, or where all are when none has a field.
  useEffect(() => {
    if (!problem) return;
    const wrong = place.current?.querySelector<HTMLElement>("[aria-invalid=true]");
    (wrong ?? summary.current)?.focus();
  }, [problem]);
  return (
    <FormContext value={form}>
      <form onSubmit={submit} noValidate ref={place}>
        <Stack>
          {problem && (
            <div ref={summary} tabIndex={-1}>
              <ProblemAlert problem={problem} title="This was not saved" />
            </div>
          )}
          <InputFields type={type} without={without} />
          <Preview changes={changes} />
          <Group>
            <Button type="submit" loading={isSaving} disabled={!isChanged}>
              {submitLabel}
            </Button>
            {children}
          </Group>
        </Stack>
        <UnsavedChanges isUnsaved={isUnsaved}>
          What you have typed is not saved, and would be lost.
        </UnsavedChanges>
      </form>
    </FormContext>
  );
}
