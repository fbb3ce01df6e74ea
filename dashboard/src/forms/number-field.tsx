import { NumberInput, type NumberInputProps } from "@mantine/core";
import { useState } from "react";

interface NumberFieldProps
  extends Pick<NumberInputProps, "label" | "description" | "withAsterisk" | "error" | "mt"> {
  readonly value: unknown;
  /** Default whole numbers alone. */
  readonly hasDecimals?: boolean;
  set(value: number | undefined): void;
}

/** A number, not below zero. What is on its way to one, such as `0.`, stays as it is typed. */
export function NumberField({ value, set, hasDecimals = false, ...props }: NumberFieldProps) {
  const [typed, setTyped] = useState<number | string>("");
  const number = typeof value === "number" ? value : undefined;
  return (
    <NumberInput
      {...props}
      allowNegative={false}
      allowDecimal={hasDecimals}
      step={hasDecimals ? 0.1 : 1}
      value={numberOf(typed) === number ? typed : (number ?? "")}
      onChange={(next) => {
        setTyped(next);
        set(numberOf(next));
      }}
    />
  );
}

function numberOf(typed: number | string): number | undefined {
  const number = typed === "" ? Number.NaN : Number(typed);
  return Number.isNaN(number) ? undefined : number;
}
