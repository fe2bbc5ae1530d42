import type { Size } from '../../ui/geometry.js';
import { ticking, type Motion } from '../../ui/motion.js';
import type { Painter } from '../../ui/painter.js';
import { View, type LayoutContext, type ViewOptions } from '../../ui/view.js';
import type { AppContext } from '../app.js';

const MINUTE_MS = 60_000;

/** The time and the date on the home screen, in the phone's zone. Its minute is the status bar's: no event of its own. */
export class LiveDate extends View {
  readonly #context: AppContext;

  constructor(context: AppContext, options: ViewOptions) {
    super({ id: 'clock', ...options });
    this.#context = context;
  }

  override get className(): string {
    return 'android.widget.TextView';
  }

  override textAt(_nowMs: number): string {
    const { clock, timeZone, zoneTime } = this.#context;
    return zoneTime.date(clock.now(), timeZone);
  }

  override motions(): readonly Motion[] {
    const { clock } = this.#context;
    return [ticking(clock.monotonicMs() - (clock.now() % MINUTE_MS), MINUTE_MS)];
  }

  protected override measureContent(context: LayoutContext): Size {
    return { width: 0, height: 84 * Math.min(1.2, context.fontScale) };
  }

  protected override paintContent(painter: Painter): void {
    const { clock, timeZone, zoneTime } = this.#context;
    const pad = this.padding;
    painter.run(zoneTime.hours(clock.now(), timeZone), pad.left, pad.top + 46, 52, 400, '#ffffff');
    painter.run(zoneTime.date(clock.now(), timeZone), pad.left + 2, pad.top + 74, 16, 500, '#d5e2f2');
  }
}
