import type { VideoUnit } from '../live/video/video-unit.js';

/** The video of one phone's screen, for one recording, which takes the units about once a second. */
export interface UnitSource {
  /** The units that came since the last call, oldest first. They begin with a key frame, also after units were lost. */
  take(): VideoUnit[];
  /** Why no units come, and for how long none have come, ms. Undefined while they come. */
  readonly failing: { error: Error; forMs: number } | undefined;
  /** Whether no units will come. */
  readonly isOver: boolean;
  readonly leave: () => void;
}
