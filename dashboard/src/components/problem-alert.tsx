import { Alert, Code, List, Text } from "@mantine/core";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Problem } from "../api/problems.js";
import { LinkedIds } from "./linked-ids.js";

interface ProblemAlertProps {
  readonly problem: Problem;
  readonly title: string;
  readonly children?: ReactNode;
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
