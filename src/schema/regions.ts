import { builder } from "./builder/builder.js";

export const RegionEnum = builder.enumType("Region", {
  description: "A datacenter region.",
  values: {
    AU: { value: "au", description: "Australia." },
    EU: { value: "eu", description: "Europe." },
    AP: { value: "ap", description: "Asia and the Pacific." },
    US: { value: "us", description: "United States." },
    JP: { value: "jp", description: "Japan." },
    IN: { value: "in", description: "India." },
    SA: { value: "sa", description: "South America." },
  } as const,
});
