export type Plan = 'minute' | 'month';

/** Prices of a phone, in USD; the same for every model, network and feature. */
export const PRICES: Record<Plan, { amount: string; per: string; text: string }> = {
  minute: { amount: '0.004', per: 'minute of running', text: 'Billed by begun minute. A stopped phone costs nothing.' },
  month: {
    amount: '12.00',
    per: 'month',
    text: 'Runs as long as you like; billed when it is created and every month after.',
  },
};
