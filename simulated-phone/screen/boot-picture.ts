import { FRAME_MS } from '../ui/motion.js';
import type { Painter } from '../ui/painter.js';

/** The stages of a boot: the loader's black screen, then the animation while the system and the apps come up. */
export type BootStage = 'kernel' | 'system' | 'apps';

/** The pace of the dots, ms. A boot is watched, so its picture may move, but slowly. */
export const BOOT_STEP_MS = 6 * FRAME_MS;

const DOTS = ['#6ea8ff', '#7ee0b8', '#ffd166', '#ff8a7a'] as const;

export function paintBoot(painter: Painter, width: number, height: number, stage: BootStage, step: number): void {
  painter.fill(0, 0, width, height, '#0c1220');
  const centerX = width / 2;
  const centerY = height * 0.45;
  if (stage === 'kernel') {
    painter.label('cloudphone', centerX, centerY, 22, 500, '#8c97ad');
    painter.label('Starting kernel', centerX, centerY + 34, 13, 400, '#5c667c');
    return;
  }
  painter.label('cloudphone', centerX, centerY, 34, 700, '#f2f5fc');
  DOTS.forEach((color, at) => {
    const lift = (step + DOTS.length - at) % (DOTS.length + 2) === 0 ? 8 : 0;
    painter.circle(centerX + (at - 1.5) * 26, centerY + 58 - lift, 6, color);
  });
  const words = stage === 'system' ? 'Starting Android' : 'Preparing apps';
  painter.label(words, centerX, height * 0.84, 15, 400, '#8c97ad');
}
