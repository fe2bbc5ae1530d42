import type { Call } from '../../kit/call/call.js';
import type { UiTree } from '../shapes/ui-node.js';

/** One dump of the tree. */
export interface TreeDump {
  /** The tree. Undefined: the screen was not idle, or had no window, until the time limit. */
  tree: UiTree | undefined;
  /** When it was requested and when it had arrived, on the clock's monotonic scale. */
  beganMs: number;
  endedMs: number;
  /** The tree is not older than this, monotonic ms. Absent: not older than its request. */
  readMs?: number;
  /** Whether the screen is known to be busy, so that no quiet was waited for: its content changes all the time. */
  busy: boolean;
}

/** A source of one phone's accessibility trees. */
export interface TreeSource {
  /** Returns a dump that is not older than this call. Throws unavailable when the phone's output makes no sense. */
  next(call: Pick<Call, 'signal'>): Promise<TreeDump>;
  /** Is called when the screen proves to be busy: the source then no longer waits for it to rest. */
  hurry(): void;
  /** The time that dumps have taken lately, ms; undefined before the first. */
  readonly usualMs: number | undefined;
  /** The usual time from the request for a dump to the moment when its tree is read, ms: `readMs - beganMs`. 0: it is read at once. */
  readonly aheadMs: number;
}

/** A source that keeps its last tree. */
export interface RememberedTrees extends TreeSource {
  /** The latest dump that had a tree; undefined before the first. */
  readonly latest: TreeDump | undefined;
  /**
   * Is called when a picture first shows a change of the screen. A source that does not wait for a rest then reads a tree that is under way
   * once more, as the tree may change later than the picture.
   */
  noteChange(): void;
}
