import { backendListOf } from "./backends.js";

export const weightedBackendList = backendListOf("weighted");
