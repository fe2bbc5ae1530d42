import type { WatchedPhone } from '../live/watched-phone.js';
import type { RememberedTrees } from '../tree/tree-source.js';
import type { Fingers } from './touch/fingers.js';

/** A phone that takes input. Touches and texts can go through the socket of its video. Its trees show how much text a field has to clear. */
export interface TouchedPhone extends WatchedPhone {
  readonly trees: RememberedTrees;
  readonly fingers: Fingers;
}
