import type { PhoneSpec } from '../../phone/driver.js';

/** Parses a `phone.json`; returns undefined when it is damaged, or describes another phone than the one of its folder. */
export function parsePhoneSpec(text: string, phoneId: string): PhoneSpec | undefined {
  const spec = parseObject(text);
  const exit = spec?.['exit'];
  if (spec === undefined || spec['phoneId'] !== phoneId || !isObject(exit)) return undefined;
  const hasText = (object: Record<string, unknown>, names: string[]): boolean =>
    names.every((name) => typeof object[name] === 'string');
  if (!hasText(spec, ['name', 'model', 'android']) || !hasText(exit, ['type', 'country', 'timezone'])) return undefined;
  return spec as unknown as PhoneSpec;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // cut off or overwritten
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
