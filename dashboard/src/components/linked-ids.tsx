import { Anchor } from "@mantine/core";
import { Link, useInRouterContext } from "react-router";

const ID = /\b([a-z]+_[0-9A-Za-z]{27})\b/;

/** A text of the server, whose ids lead to what they name. */
export function LinkedIds({ text }: { readonly text: string }) {
  const hasPages = useInRouterContext();
  if (!hasPages) return text;
  return text.split(ID).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no identity but their place
      <Anchor key={index} component={Link} to={`/resources/${part}`} inherit>
        {part}
      </Anchor>
    ) : (
      part
    ),
  );
}
