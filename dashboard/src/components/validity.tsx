import { Progress, Stack, Text } from "@mantine/core";
import { useNow } from "./now.js";
import { distance } from "./time.js";

interface ValidityProps {
  /** In ISO 8601. */
  readonly from: string;
  readonly until: string;
}

const SOON_MS = 30 * 24 * 60 * 60 * 1000;

/** How much of the validity of a certificate is over, as a bar with words. */
export function Validity({ from, until }: ValidityProps) {
  const now = useNow();
  const start = Date.parse(from);
  const end = Date.parse(until);
  const share = Math.min(1, Math.max(0, (now - start) / (end - start)));
  const isSoon = end - now < Math.min(SOON_MS, (end - start) / 4);
  const text =
    now < start
      ? `Valid ${distance(start - now)}`
      : now >= end
        ? `Expired ${distance(end - now)}`
        : `Expires ${distance(end - now)}`;
  return (
    <Stack gap={4} miw={130} title={`${from} to ${until}`}>
      <Progress
        value={share * 100}
        color={now >= end ? "red" : isSoon ? "yellow" : "teal"}
        aria-label={`${text}: ${Math.round(share * 100)} % of the validity is over`}
      />
      <Text size="xs">{text}</Text>
    </Stack>
  );
}
