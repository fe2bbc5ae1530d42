type Json = Record<string, unknown>;

/** Fields that change by themselves, or with every request. */
const CHANGING = new Set(['last_used_at', 'uptime', 'minutes_today', 'used', 'sessions', 'rotates_at']);

/**
 * The differences of what was read after an upgrade from what was read before it: things that are gone, and fields with another value.
 * Things are matched by `id` or `name`; new things and new fields are none. `changing`: more fields that may differ.
 */
export function lost(before: unknown, after: unknown, changing: readonly string[] = [], at = ''): string[] {
  if (Array.isArray(before)) {
    if (!Array.isArray(after)) return [`${at} was a list`];
    const list = after as unknown[];
    return before.flatMap((one: unknown, index) => {
      const name = nameOf(one);
      const other = name === undefined ? list[index] : list.find((some) => nameOf(some) === name);
      const where = `${at}[${name ?? index}]`;
      return other === undefined ? [`${where} is gone`] : lost(one, other, changing, where);
    });
  }
  if (typeof before === 'object' && before !== null) {
    if (typeof after !== 'object' || after === null) return [`${at} is gone`];
    return Object.entries(before)
      .filter(([name]) => !CHANGING.has(name) && !changing.includes(name))
      .flatMap(([name, value]) => lost(value, (after as Json)[name], changing, `${at}.${name}`));
  }
  return before === after ? [] : [`${at} was ${JSON.stringify(before)} and is ${JSON.stringify(after)}`];
}

function nameOf(thing: unknown): string | undefined {
  if (typeof thing !== 'object' || thing === null) return undefined;
  const { id, name, device } = thing as Json;
  return [id, name, device].find((one): one is string => typeof one === 'string');
}
