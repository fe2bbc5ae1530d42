/** What phones cost, as the operator set it: the same for every model, network and feature. */
export interface Prices {
  /** Whether anything is charged. Without it phones run whatever the balance is, and minutes are counted at no cost. */
  billing: boolean;
  /** A begun minute of running, plan minute, in micro-dollars. */
  minuteMicros: number;
  /** A month, plan month, in micro-dollars. */
  monthMicros: number;
  /** Begun minutes of one running device that the trial covers; 0: there is no trial. */
  trialMinutes: number;
}

/** 0.004 USD a minute, 12.00 USD a month, 30 minutes of trial. */
export const DEFAULT_PRICES: Prices = {
  billing: true,
  minuteMicros: 4_000,
  monthMicros: 12_000_000,
  trialMinutes: 30,
};
/** With BILLING=off. */
export const NO_PRICES: Prices = { billing: false, minuteMicros: 0, monthMicros: 0, trialMinutes: 0 };
/** The highest price that the operator can set: 1,000 USD, in micro-dollars. Ours, against slips of the keyboard. */
export const MOST_PRICE_MICROS = 1_000_000_000;
/**
 * From the price of so many minutes on a start needs no hold (holds.ts). Ours: more than an account of that balance has phones that
 * start at the same time; further ones would be stopped at their first minute.
 */
export const AMPLE_MINUTES = 250;
/** The credit of the first account of an installation: 10.00 USD, in micro-dollars. */
export const FIRST_CREDIT_MICROS = 10_000_000;
/** Bounds of one top-up: 5.00 to 10,000.00 USD, in micro-dollars. Below, the provider's fee is most of it. */
export const LEAST_TOPUP_MICROS = 5_000_000;
export const MOST_TOPUP_MICROS = 10_000_000_000;
/** The most that one credit may add: 1,000,000 USD, in micro-dollars. Ours, against slips of the keyboard. */
export const MOST_CREDIT_MICROS = 1_000_000_000_000;
