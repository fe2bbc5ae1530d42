import type { Size } from '../../ui/geometry.js';
import { ticking, type Motion } from '../../ui/motion.js';
import type { Painter } from '../../ui/painter.js';
import { View, type LayoutContext, type ViewOptions } from '../../ui/view.js';
import type { AppContext } from '../app.js';

const MINUTE_MS = 60_000;

export interface LiveDateOptions extends ViewOptions {
  align?: 'start' | 'center';
  ink?: string;
  softInk?: string;
  /** Size of the hours, dp. */
  size?: number;
}

/** The time and the date in the phone's zone. The text changes each minute, as the status bar does. Accessibility is not notified. */
export class LiveDate extends View {
  readonly #context: AppContext;
  readonly #style: Required<Pick<LiveDateOptions, 'align' | 'ink' | 'softInk' | 'size'>>;

  constructor(context: AppContext, options: LiveDateOptions) {
    super({ id: 'clock', className: 'android.widget.TextView', ...options });
    this.#context = context;
    const { align = 'start', ink = '#ffffff', softInk = '#d5e2f2', size = 52 } = options;
    this.#style = { align, ink, softInk, size };
  }

  override textAt(_nowMs: number): string {
    const { hours, date } = this.#words;
    return `${hours}, ${date}`;
  }

  override motions(): readonly Motion[] {
    const { clock } = this.#context;
    return [ticking(clock.monotonicMs() - (clock.now() % MINUTE_MS), MINUTE_MS)];
  }

  protected override measureContent(_context: LayoutContext): Size {
    return { width: 0, height: this.#style.size * 1.62 };
  }

  override paintContent(painter: Painter): void {
    const { align, ink, softInk, size } = this.#style;
    const pad = this.padding;
    const { hours, date } = this.#words;
    if (align === 'center') {
      painter.label(hours, this.width / 2, pad.top + size * 0.55, size, 400, ink);
      painter.label(date, this.width / 2, pad.top + size * 1.35, 16, 500, softInk);
      return;
    }
    painter.run(hours, pad.left, pad.top + size * 0.88, size, 400, ink);
    painter.run(date, pad.left + 2, pad.top + size * 1.42, 16, 500, softInk);
  }

  get #words(): { hours: string; date: string } {
    const { clock, timeZone, zoneTime } = this.#context;
    const nowMs = clock.now();
    return { hours: zoneTime.hours(nowMs, timeZone), date: zoneTime.date(nowMs, timeZone) };
  }
}
