import { Alert, Button, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { useClient } from "urql";
import { CopyText } from "../components/copy-text.js";
import { EmptyState } from "../components/empty-state.js";
import { INPUTS } from "../generated/inputs.js";
import { pathOf } from "../resources/references.js";
import type { Resource, Row } from "../resources/resource.js";
import { useSession } from "../session/session.js";
import { useTitle } from "../shell/title.js";
import { useInputForm } from "./form.js";
import { create } from "./mutations.js";
import { type Outcome, ResourceForm } from "./resource-form.js";
import { NOTHING_LOST, UnsavedChanges } from "./unsaved-changes.js";
import { filledIn, isSame, type Values } from "./values.js";

interface CreatePageProps<Item extends Row> {
  readonly resource: Resource<Item>;
}

/** A form for a new resource. What the URL has, such as `?edgeId=…`, is filled in. */
export function CreatePage<Item extends Row>({ resource }: CreatePageProps<Item>) {
  const { kind } = resource;
  const type = `Create${kind.typename}Input`;
  const client = useClient();
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const [initial] = useState<Values>(() => prefilled(type, params));
  const [token, setToken] = useState<{ readonly text: string; readonly path: string } | null>(null);
  const form = useInputForm(initial);
  const { canWrite } = useSession();
  useTitle(`New ${kind.singular}`);

  const check = async (values: Values): Promise<Outcome> =>
    create(client, resource, { input: filledIn(values), dryRun: true });
  const save = async (values: Values) => {
    const result = await create(client, resource, { input: filledIn(values) });
    if ("problem" in result) return result.problem;
    const made = result.resource;
    if (!made) throw new Error("What was made is not there.");
    if ("token" in made && typeof made.token === "string") {
      setToken({ text: made.token, path: pathOf(made) });
    } else {
      await navigate(pathOf(made), { replace: true, state: NOTHING_LOST });
    }
    return null;
  };
  if (!canWrite) {
    return (
      <EmptyState isWholePage title={`No new ${kind.singular}`}>
        This key may only read. A key with the scope WRITE is needed.
      </EmptyState>
    );
  }
  return (
    <Stack maw={800}>
      <Title order={1}>New {kind.singular}</Title>
      <Text>{resource.purpose}</Text>
      {token ? (
        <Alert role="alert" color="green" title="This is the token of the new key">
          <Stack align="start">
            <Text size="sm">It is shown this once: keep it now.</Text>
            <CopyText text={token.text} label="Copy the token" />
            <Button component={Link} to={token.path} replace state={NOTHING_LOST}>
              I have kept it
            </Button>
          </Stack>
          <UnsavedChanges isUnsaved>The token is not shown again.</UnsavedChanges>
        </Alert>
      ) : (
        <ResourceForm
          form={form}
          type={type}
          submitLabel={`Create ${kind.singular}`}
          isChanged={!isSame({}, form.values) || isOptional(type)}
          isUnsaved={!isSame(initial, form.values)}
          check={check}
          save={save}
        >
          <Button component={Link} to={`/${kind.path}`} variant="default">
            Cancel
          </Button>
        </ResourceForm>
      )}
    </Stack>
  );
}

function prefilled(type: string, params: URLSearchParams): Values {
  const names = (INPUTS[type]?.fields ?? []).map(({ name }) => name);
  return Object.fromEntries([...params].filter(([name]) => names.includes(name)));
}

/** Whether the input needs nothing. */
function isOptional(type: string): boolean {
  return !INPUTS[type]?.fields.some(({ required = false }) => required);
}
