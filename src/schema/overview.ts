import { parse } from "../domain/core/fields.js";
import {
  type BoundedCount,
  countExpiring,
  DEFAULT_EXPIRY_WITHIN,
  type Expiries,
  type Expiry,
  expiryArguments,
  MOST_COUNTED,
  MOST_DAYS,
  type ModuleCount,
  type Overview,
  readOverview,
} from "../domain/questions/overview.js";
import { checkedBy } from "./builder/argument-checks.js";
import { builder } from "./builder/builder.js";
import { ResourceType } from "./builder/change-types.js";
import { ModuleKind } from "./modules/kinds.js";

const ResourceCountType = builder
  .objectRef<Overview["resources"][number]>("ResourceCount")
  .implement({
    description: "The number of resources of one kind.",
    fields: (t) => ({
      type: t.expose("kind", { type: ResourceType, description: "The kind of the resources." }),
      count: t.exposeInt("count", { description: "The number of resources." }),
    }),
  });

const ModuleCountType = builder.objectRef<ModuleCount>("ModuleCount").implement({
  description: "The number of owners of one kind that have a module.",
  fields: (t) => ({
    owner: t.expose("owner", {
      type: ResourceType,
      description:
        "The kind of the owners: HTTPS edges, HTTPS edge routes, TLS edges, TCP edges or endpoint configurations.",
    }),
    kind: t.expose("module", { type: ModuleKind, description: "The kind of the module." }),
    enabled: t.exposeInt("enabled", {
      description: "The number of owners on which it is enabled.",
    }),
    disabled: t.exposeInt("disabled", {
      description: "The number of owners on which it is set but disabled.",
    }),
  }),
});

const BoundedCountType = builder.objectRef<BoundedCount>("BoundedCount").implement({
  description: `A count with a maximum of ${MOST_COUNTED}.`,
  fields: (t) => ({
    count: t.exposeInt("count", { description: `The number; at most ${MOST_COUNTED}.` }),
    atLeast: t.exposeBoolean("isMore", {
      description: "True when the real number is higher than `count`.",
    }),
  }),
});

const ExpiryType = builder.objectRef<Expiry>("CertificateExpiry").implement({
  description: "The number of certificates of one kind that expire.",
  fields: (t) => ({
    expiring: t.expose("expiring", {
      type: BoundedCountType,
      description: "Certificates that are valid now or later and expire within the duration.",
    }),
    expired: t.expose("expired", {
      type: BoundedCountType,
      description: "Certificates that have expired.",
    }),
  }),
});

const ExpiriesType = builder.objectRef<Expiries>("ExpiringCertificates").implement({
  description: "The numbers of certificates that expire within a duration.",
  fields: (t) => ({
    sshHostCertificates: t.expose("sshHostCertificates", {
      type: ExpiryType,
      description: "SSH host certificates, by `validUntil`.",
    }),
    sshUserCertificates: t.expose("sshUserCertificates", {
      type: ExpiryType,
      description: "SSH user certificates, by `validUntil`.",
    }),
    certificateAuthorities: t.expose("certificateAuthorities", {
      type: ExpiryType,
      description: "Certificate authorities, by `notAfter`.",
    }),
    tlsCertificates: t.expose("tlsCertificates", {
      type: ExpiryType,
      description: "TLS certificates, by `notAfter`.",
    }),
  }),
});

const OverviewType = builder.objectRef<Overview>("Overview").implement({
  description: "Counts of resources, modules and expiring certificates.",
  fields: (t) => ({
    resources: t.field({
      type: [ResourceCountType],
      description: "The count of each kind of resource, including kinds without resources.",
      resolve: ({ resources }) => [...resources],
    }),
    modules: t.field({
      type: [ModuleCountType],
      description:
        "The counts of each kind of module for each kind of owner, including modules that are not used.",
      resolve: ({ modules }) => [...modules],
    }),
    expiringCertificates: t.field({
      type: ExpiriesType,
      description: "The counts of certificates that expire soon or have expired.",
      args: {
        within: t.arg.string({
          defaultValue: DEFAULT_EXPIRY_WITHIN,
          description: `The duration from now, in ISO 8601 with weeks, days, hours, minutes and seconds, such as \`P30D\` or \`PT12H\`: at most ${MOST_DAYS} days, default \`${DEFAULT_EXPIRY_WITHIN}\`.`,
        }),
      },
      extensions: checkedBy(({ within }: { readonly within?: string | null }) =>
        parse(expiryArguments, { within: within ?? DEFAULT_EXPIRY_WITHIN }),
      ),
      resolve: (_, { within }, context) => countExpiring(context, within ?? undefined),
    }),
  }),
});

builder.queryField("overview", (t) =>
  t.field({
    type: OverviewType,
    nullable: true,
    description:
      "Counts for a dashboard. The time to read them does not grow with the number of resources.",
    resolve: (_, __, context) => readOverview(context),
  }),
);
