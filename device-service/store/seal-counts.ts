/** Secrets of one kind in the database. */
export interface SealCounts {
  /** How many are sealed with the first key. */
  sealed: number;
  /** How many of these were sealed just now. */
  again: number;
  /** How many no key opens. They stay as they are. */
  unreadable: number;
}
