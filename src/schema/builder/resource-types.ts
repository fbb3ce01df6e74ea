import type { Backend } from "../../domain/reads/backends.js";
import type { Resources } from "../../domain/reads/tables.js";
import { builder } from "./builder.js";

// The types of resources that modules refer to. Modules stand below resources, so what a type is says the file of
// the resource, and only what it is called stands here.

export const BackendRef = builder.interfaceRef<Backend>("Backend");
export const CertificateAuthorityRef =
  builder.objectRef<Resources["certificateAuthority"]>("CertificateAuthority");
export const IpPolicyRef = builder.objectRef<Resources["ipPolicy"]>("IpPolicy");

/** The rule of whatever holds it says what may be given. */
export const BackendReferenceInput = builder.inputRef<object>("BackendReferenceInput");
