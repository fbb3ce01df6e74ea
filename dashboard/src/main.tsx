import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./shell/shell.css";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { createRoot } from "react-dom/client";
import { App } from "./app.js";
import { cssVariables, theme } from "./shell/theme.js";

// Its URL is told from where the page is now: browsers read it again at each path that the page goes to.
const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
icon?.setAttribute("href", icon.href);

const root = document.getElementById("root");
if (!root) throw new Error("The page has no root.");
createRoot(root).render(
  <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
    <Notifications />
    <App />
  </MantineProvider>,
);
