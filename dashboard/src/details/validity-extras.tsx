import { Group, Text } from "@mantine/core";
import { Section } from "../components/section.js";
import { Time } from "../components/time.js";
import { Validity } from "../components/validity.js";

interface ValiditySectionProps {
  readonly from: string;
  readonly until: string;
}

/** How long a certificate is valid. */
export function ValiditySection({ from, until }: ValiditySectionProps) {
  return (
    <Section title="Validity">
      <Group>
        <Validity from={from} until={until} />
        <Text size="sm">
          From <Time at={from} /> until <Time at={until} />
        </Text>
      </Group>
    </Section>
  );
}

interface ValidityExtrasProps {
  readonly item: { readonly notBefore: string; readonly notAfter: string };
}

export function ValidityExtras({ item: { notBefore, notAfter } }: ValidityExtrasProps) {
  return <ValiditySection from={notBefore} until={notAfter} />;
}
