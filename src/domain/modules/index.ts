import type { ResourceKind } from "../core/ids.js";
import { circuitBreaker } from "./circuit-breaker.js";
import { compression } from "./compression.js";
import { requestHeaders, responseHeaders } from "./headers.js";
import { backend, ipRestriction, mutualTls } from "./links.js";
import { logging } from "./logging.js";
import type { DocumentModule, ReferringModule } from "./module.js";
import { oauth } from "./oauth.js";
import { oidc } from "./oidc.js";
import { saml } from "./saml.js";
import { tlsTermination, tlsTerminationAtEdge } from "./tls-termination.js";
import {
  httpsRouteTrafficPolicy,
  tcpEdgeTrafficPolicy,
  tlsEdgeTrafficPolicy,
} from "./traffic-policy.js";
import { userAgentFilter } from "./user-agent-filter.js";
import { webhookVerification } from "./webhook-verification.js";
import { websocketTcpConverter } from "./websocket-tcp-converter.js";

// Every module, once. Input rules, what is read and stored, filters, counts, where secrets are, the order of action
// and REST's paths all follow from here. The name of a module is that of its fields; its column, its path and its
// kind in GraphQL are the same name in other spellings.

/** The steps of a request, in order. The specification does not define them. */
const STEPS = [
  /** The connection is decrypted. */
  "tls",
  /** The client shows its certificate. */
  "certificate",
  /** The client is admitted or refused. */
  "admission",
  /** Requests to a failing backend are stopped. */
  "sparing",
  /** The sender of the request is identified. */
  "identity",
  "request",
  /** The request becomes one of another protocol. */
  "protocol",
  "upstream",
  "response",
  /** The request and its response are written down. */
  "report",
] as const;

type Module = DocumentModule<unknown, object, unknown> | ReferringModule;

interface ModuleRecord {
  /** The step in which it acts. The modules of one step act in the order of `MODULES`. */
  readonly acts: (typeof STEPS)[number];
  /** The owners that carry it, each with its rule. */
  readonly on: { readonly [Owner in ModuleOwner]?: Module };
}

/** In the order in which all owners show their modules, which is the one that REST clients know. */
const MODULES = {
  backend: {
    acts: "upstream",
    on: { httpsEdgeRoute: backend, tlsEdge: backend, tcpEdge: backend },
  },
  ipRestriction: {
    acts: "admission",
    on: {
      httpsEdgeRoute: ipRestriction,
      tlsEdge: ipRestriction,
      tcpEdge: ipRestriction,
      endpointConfiguration: ipRestriction,
    },
  },
  mutualTls: {
    acts: "certificate",
    on: { httpsEdge: mutualTls, tlsEdge: mutualTls, endpointConfiguration: mutualTls },
  },
  tlsTermination: {
    acts: "tls",
    on: {
      httpsEdge: tlsTerminationAtEdge,
      tlsEdge: tlsTermination,
      endpointConfiguration: tlsTermination,
    },
  },
  circuitBreaker: {
    acts: "sparing",
    on: { httpsEdgeRoute: circuitBreaker, endpointConfiguration: circuitBreaker },
  },
  compression: {
    acts: "response",
    on: { httpsEdgeRoute: compression, endpointConfiguration: compression },
  },
  requestHeaders: {
    acts: "request",
    on: { httpsEdgeRoute: requestHeaders, endpointConfiguration: requestHeaders },
  },
  responseHeaders: {
    acts: "response",
    on: { httpsEdgeRoute: responseHeaders, endpointConfiguration: responseHeaders },
  },
  webhookVerification: {
    acts: "identity",
    on: { httpsEdgeRoute: webhookVerification, endpointConfiguration: webhookVerification },
  },
  oauth: {
    acts: "identity",
    on: { httpsEdgeRoute: oauth, endpointConfiguration: oauth },
  },
  saml: {
    acts: "identity",
    on: { httpsEdgeRoute: saml, endpointConfiguration: saml },
  },
  oidc: {
    acts: "identity",
    on: { httpsEdgeRoute: oidc, endpointConfiguration: oidc },
  },
  websocketTcpConverter: { acts: "protocol", on: { httpsEdgeRoute: websocketTcpConverter } },
  userAgentFilter: { acts: "admission", on: { httpsEdgeRoute: userAgentFilter } },
  trafficPolicy: {
    acts: "request",
    on: {
      httpsEdgeRoute: httpsRouteTrafficPolicy,
      tlsEdge: tlsEdgeTrafficPolicy,
      tcpEdge: tcpEdgeTrafficPolicy,
    },
  },
  logging: { acts: "report", on: { endpointConfiguration: logging } },
} as const satisfies Readonly<Record<string, ModuleRecord>>;

export type ModuleName = keyof typeof MODULES;

/** The kinds of resources that carry modules. */
export const MODULE_OWNERS = [
  "httpsEdge",
  "httpsEdgeRoute",
  "tlsEdge",
  "tcpEdge",
  "endpointConfiguration",
] as const satisfies readonly ResourceKind[];

export type ModuleOwner = (typeof MODULE_OWNERS)[number];

type CarriersOf<Name extends ModuleName> = (typeof MODULES)[Name]["on"];

/** The names of the modules that owners of a kind carry. */
export type ModuleNameOf<Owner extends ModuleOwner> = {
  [Name in ModuleName]: Owner extends keyof CarriersOf<Name> ? Name : never;
}[ModuleName];

/** The modules that owners of a kind carry. */
type ModulesOf<Owner extends ModuleOwner> = {
  readonly [Name in ModuleNameOf<Owner>]: CarriersOf<Name>[Owner & keyof CarriersOf<Name>];
};

/** Those of them that are one document. */
type DocumentsOf<Owner extends ModuleOwner> = {
  readonly [Name in keyof ModulesOf<Owner> as ModulesOf<Owner>[Name] extends ReferringModule
    ? never
    : Name]: ModulesOf<Owner>[Name];
};

/** The names of the modules that refer to other resources. */
export type ReferringModuleName = {
  [Name in ModuleName]: CarriersOf<Name>[keyof CarriersOf<Name>] extends ReferringModule
    ? Name
    : never;
}[ModuleName];

type ValueOf<Module> =
  Module extends ReferringModule<infer Value>
    ? Value
    : Module extends DocumentModule<infer _, infer __, infer Value>
      ? Value
      : never;

/** What an owner shows of a module that is set. */
export type ModuleValues = {
  readonly [Name in ModuleName]: ValueOf<CarriersOf<Name>[keyof CarriersOf<Name>]>;
};

const NAMES = Object.keys(MODULES) as ModuleName[];

/** The names of all modules in the order in which they act on a request. */
export const NAMES_IN_ORDER_OF_ACTION: readonly ModuleName[] = STEPS.flatMap((step) =>
  NAMES.filter((name) => MODULES[name].acts === step),
);

/** The names of the modules that owners of a kind carry, in the order in which they show them. */
export function moduleNamesOf<Owner extends ModuleOwner>(
  owner: Owner,
): readonly ModuleNameOf<Owner>[] {
  return NAMES.filter((name): name is ModuleNameOf<Owner> => owner in MODULES[name].on);
}

/** A module, with its name. */
interface Carried {
  readonly name: ModuleName;
  readonly module: Module;
}

/** The modules that owners of a kind carry, in the same order. */
export function carriedBy(owner: ModuleOwner): readonly Carried[] {
  return NAMES.flatMap((name) => {
    const { on }: ModuleRecord = MODULES[name];
    const module = on[owner];
    return module ? [{ name, module }] : [];
  });
}

export function isReferring(module: Module): module is ReferringModule {
  return "refersBy" in module;
}

/** Where the modules of owners of a kind have sealed texts, and the field that these are sealed for. */
export function sealedIn(owner: ModuleOwner) {
  return carriedBy(owner).flatMap(({ name, module }) => {
    const paths = isReferring(module) ? [] : (module.sealed ?? []);
    return paths.map((path) => ({ name, path, field: `${name}.${path.at(-1)}` }));
  });
}

/** The modules that owners of a kind carry, by their names. */
export function modulesOf<Owner extends ModuleOwner>(owner: Owner): ModulesOf<Owner> {
  return byName(carriedBy(owner)) as ModulesOf<Owner>;
}

function documentsOf<Owner extends ModuleOwner>(owner: Owner): DocumentsOf<Owner> {
  const documents = carriedBy(owner).filter(({ module }) => !isReferring(module));
  return byName(documents) as DocumentsOf<Owner>;
}

function byName(modules: readonly Carried[]): Readonly<Record<string, Module>> {
  return Object.fromEntries(modules.map(({ name, module }) => [name, module]));
}

export const HTTPS_EDGE_MODULES = documentsOf("httpsEdge");
export const HTTPS_EDGE_ROUTE_MODULES = documentsOf("httpsEdgeRoute");
export const TLS_EDGE_MODULES = documentsOf("tlsEdge");
export const TCP_EDGE_MODULES = documentsOf("tcpEdge");
export const ENDPOINT_CONFIGURATION_MODULES = documentsOf("endpointConfiguration");
