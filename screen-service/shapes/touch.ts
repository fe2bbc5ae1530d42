import type { Point } from './rectangle.js';

/** An action of a finger on the screen, in pixels of its present orientation. */
export interface Touch extends Point {
  phase: 'down' | 'move' | 'up';
  pointer: number;
}
