/** The prices of phones, as the operator set them: the same for every model, network and feature. */
export interface Prices {
  /** Whether anything is charged. If not, phones run whatever the balance is, and minutes are counted at no cost. */
  billing: boolean;
  /** The price of each begun minute that a phone of the plan `minute` runs, in micro-dollars. */
  minuteMicros: number;
  /** The price of a month for a phone of the plan `month`, in micro-dollars. */
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
/** The prices with BILLING=off. */
export const NO_PRICES: Prices = { billing: false, minuteMicros: 0, monthMicros: 0, trialMinutes: 0 };
/** The highest price that the operator can set: 1,000 USD, in micro-dollars. The number is our choice, against typing errors. */
export const MAX_PRICE_MICROS = 1_000_000_000;
/**
 * How many minutes the balance must cover for a start to need no hold (holds.ts). The number is our choice: an account with such a balance
 * hardly starts this many phones at the same time. If more start, those that the balance does not cover stop at their first minute.
 */
export const AMPLE_MINUTES = 250;
/** The credit of the first account of an installation: 10.00 USD, in micro-dollars. */
export const FIRST_CREDIT_MICROS = 10_000_000;
/** Bounds of one top-up: 5.00 to 10,000.00 USD, in micro-dollars. The provider's fee would take most of a smaller top-up. */
export const MIN_TOPUP_MICROS = 5_000_000;
export const MAX_TOPUP_MICROS = 10_000_000_000;
/** The most that one credit may add: 1,000,000 USD, in micro-dollars. The number is our choice, against typing errors. */
export const MAX_CREDIT_MICROS = 1_000_000_000_000;
