import { Divider, NavLink, ScrollArea, Text } from "@mantine/core";
import {
  ArrowLeftRight,
  BookOpen,
  Braces,
  Gauge,
  Globe,
  KeyRound,
  type LucideIcon,
  Network,
  ScrollText,
  Server,
  ShieldCheck,
  Signpost,
  Terminal,
} from "lucide-react";
import { Link, useLocation } from "react-router";
import { placeOf } from "../api/places.js";

interface Entry {
  readonly to: string;
  readonly label: string;
  readonly icon?: LucideIcon;
}

interface Section {
  readonly title: string;
  readonly icon: LucideIcon;
  readonly entries: readonly Entry[];
}

const PAGES: readonly Entry[] = [
  { to: "/", label: "Overview", icon: Gauge },
  { to: "/map", label: "Map", icon: Network },
  { to: "/changes", label: "Changes", icon: ScrollText },
  { to: "/resolve", label: "Which route?", icon: Signpost },
];

const SECTIONS: readonly Section[] = [
  {
    title: "Edges",
    icon: ArrowLeftRight,
    entries: [
      { to: "/edges/https", label: "HTTPS edges" },
      { to: "/edges/https/routes", label: "HTTPS edge routes" },
      { to: "/edges/tls", label: "TLS edges" },
      { to: "/edges/tcp", label: "TCP edges" },
    ],
  },
  { title: "Backends", icon: Server, entries: [{ to: "/backends", label: "Backends" }] },
  {
    title: "Addresses",
    icon: Globe,
    entries: [
      { to: "/reserved_addrs", label: "Reserved addresses" },
      { to: "/reserved_domains", label: "Reserved domains" },
      { to: "/tls_certificates", label: "TLS certificates" },
      { to: "/endpoint_configurations", label: "Endpoint configurations" },
      { to: "/agent_ingresses", label: "Agent ingresses" },
    ],
  },
  {
    title: "Access",
    icon: ShieldCheck,
    entries: [
      { to: "/ip_policies", label: "IP policies" },
      { to: "/ip_restrictions", label: "IP restrictions" },
      { to: "/certificate_authorities", label: "Certificate authorities" },
    ],
  },
  {
    title: "SSH",
    icon: Terminal,
    entries: [
      { to: "/ssh_certificate_authorities", label: "Authorities" },
      { to: "/ssh_user_certificates", label: "User certificates" },
      { to: "/ssh_host_certificates", label: "Host certificates" },
      { to: "/ssh_credentials", label: "Credentials" },
    ],
  },
  { title: "Keys", icon: KeyRound, entries: [{ to: "/api_keys", label: "API keys" }] },
];

/** The way to every page. `onNavigate` closes it where it covers the page. */
export function Navigation({ onNavigate }: { onNavigate(): void }) {
  const { pathname } = useLocation();
  const show = ({ to, label, icon: Icon }: Entry) => (
    <NavLink
      key={to}
      component={Link}
      to={to}
      label={label}
      leftSection={Icon && <Icon size={16} aria-hidden />}
      py={5}
      active={isAt(pathname, to)}
      aria-current={isAt(pathname, to) ? "page" : undefined}
      onClick={onNavigate}
    />
  );
  return (
    <ScrollArea component="nav" aria-label="Navigation" h="100%" viewportProps={{ tabIndex: -1 }}>
      {PAGES.map(show)}
      {SECTIONS.map(({ title, icon: Icon, entries }) => (
        <div key={title}>
          <Text size="xs" fw={600} px="sm" pt="md" pb={4} c="dimmed">
            <Icon size={12} aria-hidden /> {title}
          </Text>
          {entries.map(show)}
        </div>
      ))}
      <Divider my="sm" />
      <NavLink
        href={placeOf("graphql")}
        label="GraphiQL"
        leftSection={<Braces size={16} aria-hidden />}
      />
      <NavLink
        href={placeOf("docs")}
        label="API reference"
        leftSection={<BookOpen size={16} aria-hidden />}
      />
    </ScrollArea>
  );
}

/** The entry of a page is that with the longest path that leads to it. */
function isAt(pathname: string, to: string): boolean {
  if (to === "/") return pathname === "/";
  if (to === "/edges/https" && pathname.startsWith("/edges/https/routes")) return false;
  return pathname === to || pathname.startsWith(`${to}/`);
}
