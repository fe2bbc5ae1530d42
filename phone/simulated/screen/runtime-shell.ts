import type { Painter } from '../ui/painter.js';
import type { PostedNotification } from './notifications.js';
import type { ActivityRecord } from './tasks.js';
import type { WindowManager } from './window.js';

export type Passage = 'open' | 'close' | 'home';

/** The screen, as the app runtime uses it. */
export interface RuntimeShell {
  readonly manager: WindowManager;
  timeZone(): string;
  animatorScale(): number;
  changed(eventful: boolean): void;
  /** Another activity is in front. */
  passed(kind: Passage, from: ActivityRecord | undefined): void;
  passageMs(): number;
  toast(text: string): void;
  notify(message: PostedNotification): void;
  drawIconOf(packageName: string, painter: Painter, size: number): void;
  drawPreview(record: ActivityRecord, painter: Painter, width: number, height: number): void;
}
