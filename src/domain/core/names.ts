/** `httpsEdge` is `HttpsEdge`. */
export function withCapital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** `circuit_breaker` is `circuitBreaker`. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A name in snake case: `circuitBreaker` is `circuit_breaker`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
