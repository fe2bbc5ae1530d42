import type { CheckedPhones } from './checked-phones.js';

/** One row of the report. */
export interface Row {
  name: string;
  /** Resolves with a detail for people, such as a figure. Throws NotOffered; any other error means that the row failed. */
  run(phones: CheckedPhones): Promise<string>;
}

/** Thrown when the model, the service or this machine lacks what the row checks. The message names the field or setting that shows it. */
export class NotOffered extends Error {}

export type Outcome = 'pass' | 'fail' | 'not offered';

export interface RowResult {
  row: string;
  outcome: Outcome;
  detail: string;
  seconds: number;
}
