import { clamp, type Size } from './geometry.js';
import type { Painter } from './painter.js';
import { theme } from './theme.js';
import { View, type ViewOptions, type ViewTouch } from './view.js';

export interface SeekBarOptions extends ViewOptions {
  value?: number;
  /** Largest value; the least is 0. Absent: 100. */
  most?: number;
  onChange?: (value: number) => void;
}

const INSET = 14;

/** A slider that sets a value. */
export class SeekBar extends View {
  readonly most: number;
  #value: number;

  constructor(options: SeekBarOptions = {}) {
    super({ className: 'android.widget.SeekBar', focusable: true, width: 'fill', height: 40, ...options });
    this.most = options.most ?? 100;
    this.#value = clamp(options.value ?? 0, 0, this.most);
  }

  /** Android reports the position as a float. */
  override textAt(_nowMs: number): string {
    return this.#value.toFixed(1);
  }

  get value(): number {
    return this.#value;
  }

  set value(value: number) {
    const next = clamp(Math.round(value), 0, this.most);
    if (next === this.#value) return;
    this.#value = next;
    this.changed();
  }

  override touch(event: ViewTouch): boolean {
    if (event.phase === 'cancel' || !this.enabled) return true;
    const share = (event.x - INSET) / Math.max(1, this.width - 2 * INSET);
    const before = this.#value;
    this.value = share * this.most;
    if (this.#value !== before) (this.options as SeekBarOptions).onChange?.(this.#value);
    return true;
  }

  protected override measureContent(): Size {
    return { width: 120, height: 40 };
  }

  override paintContent(painter: Painter): void {
    const middle = this.height / 2;
    const room = this.width - 2 * INSET;
    const at = INSET + (room * this.#value) / this.most;
    painter.fill(INSET, middle - 2, room, 4, theme.surfaceHigh, 2);
    if (at > INSET) painter.fill(INSET, middle - 2, at - INSET, 4, theme.primary, 2);
    painter.circle(at, middle, 9, this.enabled ? theme.primary : theme.disabled);
  }
}
