import type { Backend } from "../../domain/reads/backends.js";
import type { Resources } from "../../domain/reads/tables.js";
import { builder } from "./builder.js";

// The types of resources that modules refer to. Modules are below resources, so the file of the resource defines the
// type, and this file has only its name.

export const BackendRef = builder.interfaceRef<Backend>("Backend");
export const CertificateAuthorityRef =
  builder.objectRef<Resources["certificateAuthority"]>("CertificateAuthority");
export const IpPolicyRef = builder.objectRef<Resources["ipPolicy"]>("IpPolicy");

/** The rule of the input that contains it decides which backends are allowed. */
export const BackendReferenceInput = builder.inputRef<object>("BackendReferenceInput");
