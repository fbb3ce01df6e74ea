import { type CSSVariablesResolver, createTheme } from "@mantine/core";

// The tokens of the design: everything else follows from them. Texts have a contrast of 4.5 and more in both themes.

export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: { light: 7, dark: 8 },
  autoContrast: true,
  defaultRadius: "sm",
  cursorType: "pointer",
  fontFamily: "system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  headings: {
    fontWeight: "600",
    sizes: { h1: { fontSize: "1.6rem" }, h2: { fontSize: "1.2rem" } },
  },
});

export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": colors.gray[7],
    "--mantine-color-error": colors.red[9],
    "--mantine-color-placeholder": colors.gray[6],
    "--mantine-color-anchor": colors.indigo[8],
  },
  dark: {
    "--mantine-color-dimmed": colors.gray[5],
    "--mantine-color-error": colors.red[4],
    "--mantine-color-placeholder": colors.gray[6],
    "--mantine-color-anchor": colors.indigo[3],
  },
});
