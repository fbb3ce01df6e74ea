/** A name in snake case: `circuitBreaker` is `circuit_breaker`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
