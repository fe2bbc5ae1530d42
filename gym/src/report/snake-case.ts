/** Returns a value of JSON whose members have names as those of the API: `wrong_presses`. Names of actions have no capitals. */
export function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
      snakeCase(inner),
    ]),
  );
}
