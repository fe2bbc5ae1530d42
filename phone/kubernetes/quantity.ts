const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  ...{ k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

/**
 * Returns the number of a quantity as Kubernetes writes it, such as `512Mi`, `1500m` or `1e3`; 0 where it is absent. Throws for a text that
 * is no quantity.
 */
export function quantityOf(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  const [, number = '', unit = ''] = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([A-Za-z]{0,2})$/.exec(text) ?? [];
  const factor = UNITS[unit];
  if (number === '' || factor === undefined) throw new Error(`not a quantity of Kubernetes: ${text.slice(0, 40)}`);
  return Number(number) * factor;
}

/** Returns a quantity as whole bytes. */
export function bytesOf(text: string | undefined): number {
  return Math.round(quantityOf(text));
}
