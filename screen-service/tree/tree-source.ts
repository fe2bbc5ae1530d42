import type { Call } from '../../kit/call.js';
import type { UiTree } from './ui-node.js';

/** One dump of the tree. */
export interface TreeDump {
  /** Undefined: the screen was not idle, or had no window, for as long as we wait. */
  tree: UiTree | undefined;
  /** When it was requested and when it had arrived, on the clock's monotonic scale. */
  beganMs: number;
  endedMs: number;
  /** The tree is not older than this, monotonic ms. Absent: not older than its request. */
  readMs?: number;
  /** The screen is known to be busy, so no quiet was waited for: its content changes all the time. */
  busy: boolean;
}

/** A source of one phone's accessibility trees. */
export interface TreeSource {
  /** A dump that is not older than this call. Throws unavailable when the phone's output makes no sense. */
  next(call: Pick<Call, 'signal'>): Promise<TreeDump>;
  /** Called when the screen proves to be busy: no rest of it is waited for any more. */
  hurry(): void;
  /** The time that dumps have taken lately, ms; undefined before the first. */
  readonly usualMs: number | undefined;
  /** How long after its request a tree is most likely read, ms: `readMs - beganMs` of the usual dump. 0: at once. */
  readonly aheadMs: number;
}
