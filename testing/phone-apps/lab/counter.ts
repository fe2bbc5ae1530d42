import type { Activity, AppContext } from '../../../simulated-phone/apps/app.js';
import type { Motion } from '../../../simulated-phone/ui/motion.js';
import type { Painter } from '../../../simulated-phone/ui/painter.js';
import type { View } from '../../../simulated-phone/ui/view.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';
import { numberExtra } from './lab-page.js';

const BITS = 32;
const COLUMNS = 8;

/**
 * The phone's monotonic time in whole ms, as 32 squares: white is 1, the highest bit first, eight to a row. It is drawn anew
 * `fps` (60) times a second, so that a frame shows when it was made.
 */
export function counterScreen(ui: Toolkit, context: AppContext): Activity {
  const { column, page } = ui;
  const periodMs = 1000 / Math.max(1, numberExtra(context, 'fps', 60, 60));
  return {
    content: page({
      title: 'Frame counter',
      onUp: () => context.finish(),
      body: column({ width: 'fill', share: 1, padding: 16 }, [bitCounter(ui, periodMs)]),
    }),
  };
}

function bitCounter({ View, ticking }: Toolkit, periodMs: number): View {
  const motion = ticking(0, periodMs);
  return new (class extends View {
    override motions(): readonly Motion[] {
      return [motion];
    }

    override paintContent(painter: Painter): void {
      const ms = Math.floor(motion.phase(painter.nowMs) * periodMs) >>> 0;
      const width = this.width / COLUMNS;
      const height = this.height / (BITS / COLUMNS);
      for (let bit = 0; bit < BITS; bit++) {
        const on = ((ms >>> (BITS - 1 - bit)) & 1) === 1;
        const left = (bit % COLUMNS) * width;
        const top = Math.floor(bit / COLUMNS) * height;
        painter.fill(left, top, width, height, on ? '#ffffff' : '#000000');
      }
    }
  })({ id: 'counter', width: 'fill', height: 200 });
}
