import {
  ActionIcon,
  AppShell,
  Badge,
  Box,
  Burger,
  Button,
  Group,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { LogOut, Moon, Sun } from "lucide-react";
import { Suspense, useEffect, useRef } from "react";
import { Link, Outlet, useLocation } from "react-router";
import { useIsConnected } from "../api/live.js";
import { useSession } from "../session/session.js";
import { FindResource } from "./find-resource.js";
import { Navigation } from "./navigation.js";
import { Reading } from "./reading.js";

/** What surrounds every page. */
export function Layout() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // Who follows a link with the keyboard goes on from the page that it leads to.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path says that the page is another one
  useEffect(() => {
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [pathname]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 230, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <AppShell.Header px="md">
        <Button
          component="a"
          href="#main"
          className="skip-link"
          onClick={(event) => {
            event.preventDefault();
            main.current?.focus();
          }}
        >
          Skip to the page
        </Button>
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? "Close the navigation" : "Open the navigation"}
              aria-expanded={isOpen}
            />
            <Text component={Link} to="/" fw={700} c="inherit" td="none">
              Edgeplane
            </Text>
            <Connection />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Box visibleFrom="xs">
              <FindResource />
            </Box>
            <Key />
            <Appearance />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs">
        <Navigation onNavigate={close} />
      </AppShell.Navbar>
      <AppShell.Main>
        <Box
          component="section"
          id="main"
          ref={main}
          tabIndex={-1}
          aria-label="Page"
          style={{ outline: "none" }}
        >
          <Suspense fallback={<Reading />}>
            <Outlet />
          </Suspense>
        </Box>
      </AppShell.Main>
    </AppShell>
  );
}

/** Whether what is shown is kept up to date. */
function Connection() {
  const isConnected = useIsConnected();
  return (
    <Badge role="status" variant="light" color={isConnected ? "teal" : "red"} tt="none">
      {isConnected ? "Live" : "Connection lost, trying again"}
    </Badge>
  );
}

function Key() {
  const { canWrite, keyName, signOut } = useSession();
  return (
    <>
      <Text size="sm" visibleFrom="md">
        {keyName}
        {!canWrite && " (read only)"}
      </Text>
      <ActionIcon
        variant="subtle"
        onClick={signOut}
        aria-label="Forget the key"
        title="Forget the key"
      >
        <LogOut size={16} aria-hidden />
      </ActionIcon>
    </>
  );
}

function Appearance() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light");
  const other = scheme === "light" ? "dark" : "light";
  return (
    <ActionIcon
      variant="subtle"
      onClick={() => setColorScheme(other)}
      aria-label={`Make it ${other}`}
      title={`Make it ${other}`}
    >
      {scheme === "light" ? <Moon size={16} aria-hidden /> : <Sun size={16} aria-hidden />}
    </ActionIcon>
  );
}
