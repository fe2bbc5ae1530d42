import type { CheckedPhones } from './checked-phones.js';

/** One row of the report. */
export interface Row {
  name: string;
  /** Resolves with a detail for people, such as a figure. Throws NotOffered, or any error: then the row failed, with its message. */
  run(phones: CheckedPhones): Promise<string>;
}

/** The model, the service or this machine does not offer what the row checks; the message names the field or setting that says so. */
export class NotOffered extends Error {}

export type Outcome = 'pass' | 'fail' | 'not offered';

export interface RowResult {
  row: string;
  outcome: Outcome;
  detail: string;
  seconds: number;
}
