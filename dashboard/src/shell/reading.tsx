import { Center, Loader } from "@mantine/core";

/** While a page is on its way. */
export function Reading() {
  return (
    <Center py="xl">
      <Loader role="status" aria-label="Reading" />
    </Center>
  );
}
