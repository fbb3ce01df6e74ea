import { backendListOf } from "./backends.js";

export const tunnelGroupBackendList = backendListOf("tunnel_group");
