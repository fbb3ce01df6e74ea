import {
  type BoundedCount,
  countExpiring,
  DEFAULT_EXPIRY_WITHIN,
  type Expiries,
  type Expiry,
  MOST_COUNTED,
  type ModuleCount,
  type Overview,
  readOverview,
} from "../domain/questions/overview.js";
import { builder } from "./builder/builder.js";
import { ResourceType } from "./changes.js";
import { ModuleKind } from "./modules/kinds.js";

const ResourceCountType = builder
  .objectRef<Overview["resources"][number]>("ResourceCount")
  .implement({
    description: "How many resources of one kind there are.",
    fields: (t) => ({
      type: t.expose("kind", { type: ResourceType, description: "The kind." }),
      count: t.exposeInt("count", { description: "How many there are." }),
    }),
  });

const ModuleCountType = builder.objectRef<ModuleCount>("ModuleCount").implement({
  description: "How many owners of one kind have a module.",
  fields: (t) => ({
    owner: t.expose("owner", {
      type: ResourceType,
      description: "The kind of the owners: HTTPS edges, their routes or TLS edges.",
    }),
    kind: t.expose("module", { type: ModuleKind, description: "Which module." }),
    enabled: t.exposeInt("enabled", { description: "How many have it enabled." }),
    disabled: t.exposeInt("disabled", { description: "How many have it set, but not enabled." }),
  }),
});

const BoundedCountType = builder.objectRef<BoundedCount>("BoundedCount").implement({
  description: `A number that is counted up to ${MOST_COUNTED} and no further.`,
  fields: (t) => ({
    count: t.exposeInt("count", { description: `How many there are; at most ${MOST_COUNTED}.` }),
    atLeast: t.exposeBoolean("isMore", { description: "Whether there are more than `count`." }),
  }),
});

const ExpiryType = builder.objectRef<Expiry>("CertificateExpiry").implement({
  description: "How many certificates of one kind expire.",
  fields: (t) => ({
    expiring: t.expose("expiring", {
      type: BoundedCountType,
      description: "Those that are valid now, or will be, and expire within the duration.",
    }),
    expired: t.expose("expired", {
      type: BoundedCountType,
      description: "Those that have expired already.",
    }),
  }),
});

const ExpiriesType = builder.objectRef<Expiries>("ExpiringCertificates").implement({
  description: "How many certificates expire within a duration.",
  fields: (t) => ({
    sshUserCertificates: t.expose("sshUserCertificates", {
      type: ExpiryType,
      description: "SSH user certificates, by `validUntil`.",
    }),
    certificateAuthorities: t.expose("certificateAuthorities", {
      type: ExpiryType,
      description: "Certificate authorities, by `notAfter`.",
    }),
  }),
});

const OverviewType = builder.objectRef<Overview>("Overview").implement({
  description: "How much there is of everything.",
  fields: (t) => ({
    resources: t.field({
      type: [ResourceCountType],
      description: "Every kind of resource, also those of which there is none.",
      resolve: ({ resources }) => [...resources],
    }),
    modules: t.field({
      type: [ModuleCountType],
      description: "Every kind of module of every kind of owner, also those that nobody has.",
      resolve: ({ modules }) => [...modules],
    }),
    expiringCertificates: t.field({
      type: ExpiriesType,
      description: "Certificates that expire soon, and those that have expired.",
      args: {
        within: t.arg.string({
          defaultValue: DEFAULT_EXPIRY_WITHIN,
          description:
            "From now on, a duration of ISO 8601 in weeks, days, hours, minutes and seconds such as `P30D` or `PT12H`: at most 36500 days, default `P30D`.",
        }),
      },
      resolve: (_, { within }, context) => countExpiring(context, within ?? undefined),
    }),
  }),
});

builder.queryField("overview", (t) =>
  t.field({
    type: OverviewType,
    description:
      "Counts for a dashboard, which take the same time to read however many resources there are.",
    resolve: (_, __, context) => readOverview(context),
  }),
);
