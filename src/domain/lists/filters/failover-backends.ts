import { backendListOf } from "./backends.js";

export const failoverBackendList = backendListOf("failover");
