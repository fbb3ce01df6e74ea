import { backendListOf } from "./backends.js";

export const staticBackendList = backendListOf("static");
