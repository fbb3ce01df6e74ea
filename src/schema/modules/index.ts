import type { HttpsEdgeRoute } from "../../domain/https-edge-routes.js";
import type { HttpsEdge } from "../../domain/https-edges.js";
import type { TlsEdge } from "../../domain/tls-edges.js";
import type { Types } from "../builder/builder.js";
import { BackendModule, BackendModuleInput } from "./backend.js";
import { CircuitBreakerModule, CircuitBreakerModuleInput } from "./circuit-breaker.js";
import { CompressionModule, CompressionModuleInput } from "./compression.js";
import {
  RequestHeadersModule,
  RequestHeadersModuleInput,
  ResponseHeadersModule,
  ResponseHeadersModuleInput,
} from "./headers.js";
import { IpRestrictionModule, IpRestrictionModuleInput } from "./ip-restriction.js";
import type { InputFields } from "./module.js";
import { MutualTlsModule, MutualTlsModuleInput } from "./mutual-tls.js";
import { OauthModule, OauthModuleInput } from "./oauth.js";
import { OidcModule, OidcModuleInput } from "./oidc.js";
import { SamlModule, SamlModuleInput } from "./saml.js";
import {
  TlsTerminationAtEdgeModuleInput,
  TlsTerminationModule,
  TlsTerminationModuleInput,
} from "./tls-termination.js";
import { TrafficPolicyModule, TrafficPolicyModuleInput } from "./traffic-policy.js";
import { UserAgentFilterModule, UserAgentFilterModuleInput } from "./user-agent-filter.js";
import {
  WebhookVerificationModule,
  WebhookVerificationModuleInput,
} from "./webhook-verification.js";
import {
  WebsocketTcpConverterModule,
  WebsocketTcpConverterModuleInput,
} from "./websocket-tcp-converter.js";

// Which owner carries which modules, as fields of its type and of its inputs.

type Fields<Owner extends object> = PothosSchemaTypes.ObjectFieldBuilder<Types, Owner>;

const ABOUT = {
  backend: "Where its traffic goes; nowhere when null.",
  ipRestriction: "The source addresses that may connect; all when null.",
  mutualTls: "The client certificates that are accepted; none is asked for when null.",
  tlsTermination: "How TLS is terminated; at the edge, from a safe version on, when null.",
  circuitBreaker: "When requests are no longer sent upstream; always sent when null.",
  compression: "Whether responses are compressed; not when null.",
  requestHeaders: "How the headers of requests are changed; not at all when null.",
  responseHeaders: "How the headers of responses are changed; not at all when null.",
  webhookVerification: "The webhook provider whose signature is required; none when null.",
  oauth: "How users log in with OAuth; not at all when null.",
  saml: "How users log in with SAML; not at all when null.",
  oidc: "How users log in with OpenID Connect; not at all when null.",
  websocketTcpConverter: "Whether WebSocket becomes TCP; not when null.",
  userAgentFilter: "The user agents that are let through; all when null.",
  trafficPolicy: "The rules that are applied to its traffic; none when null.",
};

export function httpsEdgeModuleFields(t: Fields<HttpsEdge>) {
  return {
    mutualTls: t.expose("mutualTls", {
      type: MutualTlsModule,
      nullable: true,
      description: ABOUT.mutualTls,
    }),
    tlsTermination: t.expose("tlsTermination", {
      type: TlsTerminationModule,
      nullable: true,
      description: ABOUT.tlsTermination,
    }),
  };
}

export function httpsEdgeModuleInputFields(t: InputFields) {
  return {
    mutualTls: t.field({ type: MutualTlsModuleInput, description: ABOUT.mutualTls }),
    tlsTermination: t.field({
      type: TlsTerminationAtEdgeModuleInput,
      description: ABOUT.tlsTermination,
    }),
  };
}

export function httpsEdgeRouteModuleFields(t: Fields<HttpsEdgeRoute>) {
  return {
    backend: t.expose("backend", {
      type: BackendModule,
      nullable: true,
      description: ABOUT.backend,
    }),
    ipRestriction: t.expose("ipRestriction", {
      type: IpRestrictionModule,
      nullable: true,
      description: ABOUT.ipRestriction,
    }),
    circuitBreaker: t.expose("circuitBreaker", {
      type: CircuitBreakerModule,
      nullable: true,
      description: ABOUT.circuitBreaker,
    }),
    compression: t.expose("compression", {
      type: CompressionModule,
      nullable: true,
      description: ABOUT.compression,
    }),
    requestHeaders: t.expose("requestHeaders", {
      type: RequestHeadersModule,
      nullable: true,
      description: ABOUT.requestHeaders,
    }),
    responseHeaders: t.expose("responseHeaders", {
      type: ResponseHeadersModule,
      nullable: true,
      description: ABOUT.responseHeaders,
    }),
    webhookVerification: t.expose("webhookVerification", {
      type: WebhookVerificationModule,
      nullable: true,
      description: ABOUT.webhookVerification,
    }),
    oauth: t.expose("oauth", {
      type: OauthModule,
      nullable: true,
      description: ABOUT.oauth,
    }),
    saml: t.expose("saml", {
      type: SamlModule,
      nullable: true,
      description: ABOUT.saml,
    }),
    oidc: t.expose("oidc", {
      type: OidcModule,
      nullable: true,
      description: ABOUT.oidc,
    }),
    websocketTcpConverter: t.expose("websocketTcpConverter", {
      type: WebsocketTcpConverterModule,
      nullable: true,
      description: ABOUT.websocketTcpConverter,
    }),
    userAgentFilter: t.expose("userAgentFilter", {
      type: UserAgentFilterModule,
      nullable: true,
      description: ABOUT.userAgentFilter,
    }),
    trafficPolicy: t.expose("trafficPolicy", {
      type: TrafficPolicyModule,
      nullable: true,
      description: ABOUT.trafficPolicy,
    }),
  };
}

export function httpsEdgeRouteModuleInputFields(t: InputFields) {
  return {
    backend: t.field({ type: BackendModuleInput, description: ABOUT.backend }),
    ipRestriction: t.field({ type: IpRestrictionModuleInput, description: ABOUT.ipRestriction }),
    circuitBreaker: t.field({ type: CircuitBreakerModuleInput, description: ABOUT.circuitBreaker }),
    compression: t.field({ type: CompressionModuleInput, description: ABOUT.compression }),
    requestHeaders: t.field({ type: RequestHeadersModuleInput, description: ABOUT.requestHeaders }),
    responseHeaders: t.field({
      type: ResponseHeadersModuleInput,
      description: ABOUT.responseHeaders,
    }),
    webhookVerification: t.field({
      type: WebhookVerificationModuleInput,
      description: ABOUT.webhookVerification,
    }),
    oauth: t.field({ type: OauthModuleInput, description: ABOUT.oauth }),
    saml: t.field({ type: SamlModuleInput, description: ABOUT.saml }),
    oidc: t.field({ type: OidcModuleInput, description: ABOUT.oidc }),
    websocketTcpConverter: t.field({
      type: WebsocketTcpConverterModuleInput,
      description: ABOUT.websocketTcpConverter,
    }),
    userAgentFilter: t.field({
      type: UserAgentFilterModuleInput,
      description: ABOUT.userAgentFilter,
    }),
    trafficPolicy: t.field({ type: TrafficPolicyModuleInput, description: ABOUT.trafficPolicy }),
  };
}

export function tlsEdgeModuleFields(t: Fields<TlsEdge>) {
  return {
    backend: t.expose("backend", {
      type: BackendModule,
      nullable: true,
      description: ABOUT.backend,
    }),
    ipRestriction: t.expose("ipRestriction", {
      type: IpRestrictionModule,
      nullable: true,
      description: ABOUT.ipRestriction,
    }),
    mutualTls: t.expose("mutualTls", {
      type: MutualTlsModule,
      nullable: true,
      description: ABOUT.mutualTls,
    }),
    tlsTermination: t.expose("tlsTermination", {
      type: TlsTerminationModule,
      nullable: true,
      description: ABOUT.tlsTermination,
    }),
    trafficPolicy: t.expose("trafficPolicy", {
      type: TrafficPolicyModule,
      nullable: true,
      description: ABOUT.trafficPolicy,
    }),
  };
}

export function tlsEdgeModuleInputFields(t: InputFields) {
  return {
    backend: t.field({ type: BackendModuleInput, description: ABOUT.backend }),
    ipRestriction: t.field({ type: IpRestrictionModuleInput, description: ABOUT.ipRestriction }),
    mutualTls: t.field({ type: MutualTlsModuleInput, description: ABOUT.mutualTls }),
    tlsTermination: t.field({ type: TlsTerminationModuleInput, description: ABOUT.tlsTermination }),
    trafficPolicy: t.field({ type: TrafficPolicyModuleInput, description: ABOUT.trafficPolicy }),
  };
}
