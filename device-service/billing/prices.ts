/** Prices, and bounds of credits. */

/** A begun minute of running, plan minute: 0.004 USD, in micro-dollars. */
export const MINUTE_MICROS = 4_000;
/**
 * From this balance on a start needs no hold (holds.ts), 1.00 USD in micro-dollars. Ours: it is 250 minutes, more than an account of
 * that balance has phones that start at the same time; further ones would be stopped at their first minute.
 */
export const AMPLE_MICROS = 1_000_000;
/** A month, plan month: 12.00 USD, in micro-dollars. */
export const MONTH_MICROS = 12_000_000;
/** The trial: 30 begun minutes of one running device. */
export const TRIAL_MINUTES = 30;
/** The credit of the first account of an installation: 10.00 USD, in micro-dollars. */
export const FIRST_CREDIT_MICROS = 10_000_000;
/** Bounds of one top-up: 5.00 to 10,000.00 USD, in micro-dollars. Below, the provider's fee is most of it. */
export const LEAST_TOPUP_MICROS = 5_000_000;
export const MOST_TOPUP_MICROS = 10_000_000_000;
/** The most that one credit may add: 1,000,000 USD, in micro-dollars. Ours, against slips of the keyboard. */
export const MOST_CREDIT_MICROS = 1_000_000_000_000;
