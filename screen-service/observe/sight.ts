import type { RememberedObservation } from './latest-observations.js';
import type { Observation } from './observation.js';

/** What one key knows of one phone's screen: its latest observation. Ids of elements are taken from it, and looked up in it. */
export interface Sight {
  latest(): RememberedObservation | undefined;
  remember(observation: Observation): void;
}
