import { backendListOf } from "./backends.js";

export const httpResponseBackendList = backendListOf("http_response");
