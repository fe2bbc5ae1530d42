/**
 * A side's description of itself in CNXN: `device::ro.product.name=x;features=shell_v2,cmd`. The host's starts with `host`.
 */
export interface Banner {
  /** `host`, `device`, `recovery`, ... */
  state: string;
  properties: Record<string, string>;
  features: string[];
}

export function formatBanner({ state, properties, features }: Banner): string {
  // Clients split on : then ; then =, so a value with one of these would lose the property and all later ones.
  const fields = Object.entries(properties).map(([name, value]) => `${name}=${value.replace(/[:;=]/g, '_')}`);
  return `${state}::${[...fields, `features=${features.join(',')}`].join(';')}`;
}

/** Parses a banner. It is lenient, as peers differ: a missing part is empty. */
export function parseBanner(payload: Buffer): Banner {
  const text = payload.toString('utf8').replace(/\0+$/, '');
  const [state = '', , ...rest] = text.split(':');
  const properties: Record<string, string> = {};
  let features: string[] = [];
  for (const field of rest.join(':').split(';')) {
    const equals = field.indexOf('=');
    if (equals < 0) continue;
    const name = field.slice(0, equals);
    const value = field.slice(equals + 1);
    if (name === 'features') features = value.split(',').filter((feature) => feature !== '');
    else properties[name] = value;
  }
  return { state, properties, features };
}
