import { createBrowserRouter, RouterProvider } from "react-router";
import { DASHBOARD_PATH } from "./api/places.js";
import { OverviewPage } from "./overview/overview-page.js";
import { RESOURCE_PAGES } from "./resources/pages.js";
import { SessionProvider } from "./session/session.js";
import { Failure } from "./shell/failure.js";
import { Layout } from "./shell/layout.js";
import { NoSuchPage } from "./shell/no-such-page.js";
import { Reading } from "./shell/reading.js";
import { ResourceRedirect } from "./shell/resource-redirect.js";

const router = createBrowserRouter(
  [
    {
      path: "/",
      element: <Layout />,
      hydrateFallbackElement: <Reading />,
      children: [
        {
          errorElement: <Failure />,
          children: [
            { index: true, element: <OverviewPage /> },
            {
              path: "map",
              lazy: async () => ({
                Component: (await import("./map/map-page.js")).MapPage,
              }),
            },
            {
              path: "changes",
              lazy: async () => ({
                Component: (await import("./changes/changes-page.js")).ChangesPage,
              }),
            },
            {
              path: "backends",
              lazy: async () => ({
                Component: (await import("./backends/backends-page.js")).BackendsPage,
              }),
            },
            {
              path: "resolve",
              lazy: async () => ({
                Component: (await import("./edges/route-question-page.js")).RouteQuestionPage,
              }),
            },
            { path: "resources/:id", element: <ResourceRedirect /> },
            ...RESOURCE_PAGES,
            { path: "*", element: <NoSuchPage /> },
          ],
        },
      ],
    },
  ],
  { basename: DASHBOARD_PATH },
);

export function App() {
  return (
    <SessionProvider>
      <RouterProvider router={router} />
    </SessionProvider>
  );
}
