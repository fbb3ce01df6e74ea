import {
  Anchor,
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  Modal,
  NavLink,
  Notification,
  type VariantColorsResolver,
} from "@mantine/core";

// The tokens of the design: everything else follows from them. Texts have a contrast of 4.5 and more in both themes.

/** Light grounds have texts that are dark enough, in each colour; so has red, which is too light as it is. */
const variantColors: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  const { variant, theme } = input;
  const color = input.color || theme.primaryColor;
  if (variant === "filled" && color === "red") {
    return { ...colors, background: "var(--mantine-color-red-9)", color: "white" };
  }
  if (variant !== "light" || !theme.colors[color]) return colors;
  const shade = (index: number) => `var(--mantine-color-${color}-${index})`;
  return {
    ...colors,
    background: `light-dark(${shade(0)}, color-mix(in srgb, ${shade(9)} 35%, black))`,
    hover: `light-dark(${shade(1)}, color-mix(in srgb, ${shade(9)} 50%, black))`,
    color: `light-dark(color-mix(in srgb, ${shade(9)} 70%, black), ${shade(1)})`,
  };
};

export const theme = createTheme({
  variantColorResolver: variantColors,
  // Who does not see colours knows a link by its line.
  components: {
    Anchor: Anchor.extend({ defaultProps: { underline: "always" } }),
    // Its heading is no banner of the page.
    Modal: Modal.extend({
      defaultProps: {
        closeButtonProps: { "aria-label": "Close" },
        attributes: { header: { role: "presentation" } },
      },
    }),
    // As the labels of fields.
    Fieldset: { styles: { legend: { fontWeight: 600, fontSize: "var(--mantine-font-size-sm)" } } },
    // With a variant it takes its colours from those above, also below the pointer.
    NavLink: NavLink.extend({ defaultProps: { variant: "light" } }),
    Notification: Notification.extend({
      defaultProps: { closeButtonProps: { "aria-label": "Close" } },
    }),
  },
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
