/** A name of the domain as columns of the database and REST spell it: `circuitBreaker` is `circuit_breaker`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
