import type { Painter } from '../ui/painter.js';
import type { PostedNotification } from './notifications.js';
import type { ActivityRecord } from './tasks.js';
import type { WindowManager } from './window.js';

export type Passage = 'open' | 'close' | 'home';

/** The screen, as the app runtime uses it. */
export interface RuntimeShell {
  readonly manager: WindowManager;
  /** Is called when windows have come or gone. */
  windowsChanged(): void;
  /** Is called when another activity is in front. */
  passed(kind: Passage, from: ActivityRecord | undefined): void;
  toast(text: string): void;
  notify(message: PostedNotification): void;
  drawIconOf(packageName: string, painter: Painter, size: number): void;
}
