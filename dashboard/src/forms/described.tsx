import { Code } from "@mantine/core";
import { Fragment } from "react";
import { helpOf } from "./help.js";

/** The description that the schema gives a field, in which names and values stand between backticks. */
export function Described({ text }: { readonly text: string }) {
  return helpOf(text)
    .split("`")
    .map((part, index) =>
      index % 2 === 1 ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no identity but their place
        <Code key={index}>{part}</Code>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no identity but their place
        <Fragment key={index}>{part}</Fragment>
      ),
    );
}
