import { snakeCase } from "../core/names.js";
import {
  carriedBy,
  isReferring,
  type ModuleNameOf,
  type ModuleOwner,
  type ModuleValues,
} from "../modules/index.js";
import { referenceOf } from "../storage/graph.js";
import { document, type Field, referringModule } from "./fields.js";

type ModuleFields<Owner extends ModuleOwner> = {
  readonly [Name in ModuleNameOf<Owner>]: Field<ModuleValues[Name] | null>;
};

/** The way in which the modules of owners of a kind are read. */
export function moduleFields<Owner extends ModuleOwner>(owner: Owner): ModuleFields<Owner> {
  const fields = carriedBy(owner).map(({ name, module }): [string, Field] => {
    if (!isReferring(module)) return [name, document(snakeCase(name), module)];
    return [name, referringModule(referenceOf(owner, name), module.refersBy)];
  });
  return Object.fromEntries(fields) as ModuleFields<Owner>;
}
