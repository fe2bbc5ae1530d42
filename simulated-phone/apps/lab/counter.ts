import { column } from '../../ui/containers.js';
import { ticking, type Motion } from '../../ui/motion.js';
import type { Painter } from '../../ui/painter.js';
import { View } from '../../ui/view.js';
import type { Activity, AppContext } from '../app.js';
import { page } from '../page.js';
import { numberExtra } from './lab-page.js';

const BITS = 32;
const COLUMNS = 8;

/**
 * The phone's monotonic time in whole ms, as 32 squares: white is 1, the highest bit first, eight to a row. It is drawn anew
 * `fps` (60) times a second, so that a frame shows when it was made.
 */
export function counterScreen(context: AppContext): Activity {
  const periodMs = 1000 / Math.max(1, numberExtra(context, 'fps', 60, 60));
  return {
    content: page({
      title: 'Frame counter',
      onUp: () => context.finish(),
      body: column({ width: 'fill', share: 1, padding: 16 }, [new BitCounter(periodMs)]),
    }),
  };
}

class BitCounter extends View {
  readonly #motion: Motion;
  readonly #periodMs: number;

  constructor(periodMs: number) {
    super({ id: 'counter', width: 'fill', height: 200 });
    this.#periodMs = periodMs;
    this.#motion = ticking(0, periodMs);
  }

  override motions(): readonly Motion[] {
    return [this.#motion];
  }

  override paintContent(painter: Painter): void {
    const ms = Math.floor(this.#motion.phase(painter.nowMs) * this.#periodMs) >>> 0;
    const width = this.width / COLUMNS;
    const height = this.height / (BITS / COLUMNS);
    for (let bit = 0; bit < BITS; bit++) {
      const on = ((ms >>> (BITS - 1 - bit)) & 1) === 1;
      const left = (bit % COLUMNS) * width;
      const top = Math.floor(bit / COLUMNS) * height;
      painter.fill(left, top, width, height, on ? '#ffffff' : '#000000');
    }
  }
}
