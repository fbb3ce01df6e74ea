import { Alert, Code, List, Text } from "@mantine/core";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { CombinedError } from "urql";
import { isTemporary, type Problem, problemOf } from "../api/problems.js";
import { LinkedIds } from "./linked-ids.js";

interface ProblemAlertProps {
  readonly problem: Problem;
  readonly title: string;
  readonly children?: ReactNode;
}

export const CANNOT_ANSWER = "The server cannot answer now";

interface ReadingProblemProps {
  readonly error: CombinedError;
  /** What is said when the server refused it. */
  readonly title: string;
  readonly children?: ReactNode;
}

/** Why something could not be read. While the server cannot answer, it is tried again. */
export function ReadingProblem({ error, title, children }: ReadingProblemProps) {
  const problem = problemOf(error);
  if (!isTemporary(problem)) {
    return (
      <ProblemAlert problem={problem} title={title}>
        {children}
      </ProblemAlert>
    );
  }
  return (
    <ProblemAlert problem={problem} title={CANNOT_ANSWER}>
      <Text size="sm">This is tried again until it does.</Text>
    </ProblemAlert>
  );
}

/** Why something was refused: the server's words, and by what its log names the request. */
export function ProblemAlert({ problem, title, children }: ProblemAlertProps) {
  const { message, issues, code, operationId } = problem;
  return (
    <Alert role="alert" color="red" icon={<CircleAlert aria-hidden />} title={title}>
      <Text size="sm">
        <LinkedIds text={message} />
      </Text>
      {issues.length > 1 && (
        <List size="sm" mt="xs">
          {issues.map(({ path, message }) => (
            <List.Item key={`${path.join(".")} ${message}`}>
              {path.length > 0 && <Code>{path.join(".")}</Code>} <LinkedIds text={message} />
            </List.Item>
          ))}
        </List>
      )}
      {children}
      <Text size="xs" mt="xs">
        {code}
        {operationId && (
          <>
            , operation <Code>{operationId}</Code>
          </>
        )}
      </Text>
    </Alert>
  );
}
