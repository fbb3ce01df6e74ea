import { Stack } from "@mantine/core";
import type { ComponentType } from "react";
import type { InputField } from "../generated/inputs.js";
import { CriticalOptionsField } from "../ssh/critical-options-field.js";
import { ExtensionsField } from "../ssh/extensions-field.js";
import { HostLifetimeField, UserLifetimeField } from "../ssh/lifetime-field.js";
import { BackendChildren, BackendReference } from "./backend-fields.js";
import { ModuleField } from "./module-field.js";
import { NamedValues } from "./named-values.js";
import { OneOfField } from "./one-of-field.js";
import { ReferenceField } from "./reference-field.js";
import { RouteFields } from "./route-fields.js";
import { SectionField } from "./section-field.js";
import { ValueField } from "./value-field.js";
import { inputType } from "./values.js";

interface InputFieldsProps {
  /** The name of the input in the schema, such as `CreateIpPolicyInput`. */
  readonly type: string;
  /** Where its fields are in the form: "" for the form itself. */
  readonly path?: string;
  /** Fields that the page fills in by itself. */
  readonly without?: readonly string[];
}

/** Fields whose control is made for them, by input and name; null for one that the control of another shows. */
const OWN_CONTROLS: Readonly<Record<string, ComponentType<FieldProps> | null>> = {
  "CreateSshUserCertificateInput.criticalOptions": CriticalOptionsField,
  "CreateSshUserCertificateInput.extensions": ExtensionsField,
  "CreateSshUserCertificateInput.validUntil": UserLifetimeField,
  "CreateSshUserCertificateInput.validAfter": null,
  "CreateSshHostCertificateInput.validUntil": HostLifetimeField,
  "CreateSshHostCertificateInput.validAfter": null,
};

/** What depends on another choice, and comes after it. */
const DEPENDENT = ["ellipticCurve", "keySize"];

/** What belongs at the end of a form, in this order. */
const LAST = ["description", "metadata"];

/** A control for each field of an input. */
export function InputFields({ type, path = "", without = [] }: InputFieldsProps) {
  const fields = inputType(type).fields.filter(
    ({ name }) => !without.includes(name) && OWN_CONTROLS[`${type}.${name}`] !== null,
  );
  const own = fields.filter(({ name }) => !LAST.includes(name));
  const [required, optional] = [own.filter(isRequired), own.filter((field) => !isRequired(field))];
  const last = fields.filter(({ name }) => LAST.includes(name));
  return (
    <Stack>
      {[...required, ...optional.sort(byShape), ...last].map((field) => {
        const Control = OWN_CONTROLS[`${type}.${field.name}`] ?? Field;
        const place = path === "" ? field.name : `${path}.${field.name}`;
        return <Control key={field.name} field={field} path={place} />;
      })}
    </Stack>
  );
}

function isRequired({ required = false }: InputField): boolean {
  return required;
}

/** Simple values come before those that depend on them, these before parts that have fields of their own, and these before modules. */
function byShape(one: InputField, other: InputField): number {
  return shapeOf(one) - shapeOf(other);
}

function shapeOf(field: InputField): number {
  if (isModule(field)) return 3;
  if (field.type.endsWith("Input")) return 2;
  return DEPENDENT.includes(field.name) ? 1 : 0;
}

function isModule({ type }: InputField): boolean {
  return type.endsWith("ModuleInput");
}

export interface FieldProps {
  readonly field: InputField;
  /** Its place in the form, such as `routes.0.match`. */
  readonly path: string;
}

/** The control that fits the type of a field. */
function Field({ field, path }: FieldProps) {
  const { type, name, list = false } = field;
  if (isModule(field)) return <ModuleField field={field} path={path} />;
  switch (type) {
    case "NameValueInput":
    case "ResolutionTargetInput":
      return <NamedValues field={field} path={path} />;
    case "NewHttpsEdgeRouteInput":
      return <RouteFields field={field} path={path} />;
    case "FailoverChildInput":
    case "WeightedChildInput":
      return <BackendChildren field={field} path={path} />;
    case "BackendReferenceInput":
    case "LeafBackendReferenceInput":
      return <BackendReference field={field} path={path} />;
    case "OauthProviderInput":
      return <OneOfField field={field} path={path} />;
    case "ID":
      return <ReferenceField field={field} path={path} />;
  }
  if (type.endsWith("Input") && !list) return <SectionField field={field} path={path} />;
  if (type.endsWith("Input")) throw new Error(`No form has ${name} yet.`);
  return <ValueField field={field} path={path} />;
}
