import { Prisma } from "../../../database/index.js";
import { timestamp } from "../../core/fields.js";
import { member, now } from "./filter.js";

/** The certificates whose last moment is before the given time, without those that have expired. */
export const expiringBefore = member(
  timestamp,
  (time) => Prisma.sql`item.not_after >= ${now} AND item.not_after < ${time}`,
);
