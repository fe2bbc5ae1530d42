import { FRAME_MS, ticking, type Motion } from './motion.js';
import type { Painter } from './painter.js';
import { theme } from './theme.js';
import { View, type ViewOptions } from './view.js';

const TURN_MS = 1200;

/** An endless spinner. It changes pixels without notifying accessibility, as Android's spinner does. */
export class ProgressSpinner extends View {
  readonly #motion: Motion;
  readonly #color: string;

  constructor(options: ViewOptions & { startMs: number; size?: number; color?: string }) {
    const size = options.size ?? 44;
    super({ className: 'android.widget.ProgressBar', ...options, width: size, height: size });
    this.#color = options.color ?? theme.primary;
    this.#motion = ticking(options.startMs, FRAME_MS);
  }

  override motions(): readonly Motion[] {
    return [this.#motion];
  }

  override paintContent(painter: Painter): void {
    const frame = this.#motion.phase(painter.nowMs);
    const turn = ((frame * FRAME_MS) % TURN_MS) / TURN_MS;
    const length = 0.15 + 0.55 * (0.5 - 0.5 * Math.cos(turn * Math.PI * 2));
    const radius = this.width / 2 - 4;
    painter.arc(this.width / 2, this.height / 2, radius, turn * 2, turn * 2 + length, this.#color, 4);
  }
}
