import type { Painter } from '../../ui/painter.js';
import { text, type TextView } from '../../ui/text-view.js';
import { theme } from '../../ui/theme.js';
import { View, type ViewTouch } from '../../ui/view.js';
import { column } from '../../ui/containers.js';
import type { Activity, AppContext } from '../app.js';
import { page } from '../page.js';

const COLORS = ['#2f7de1', '#d9822b', '#159570', '#8e44ad', '#c0392b'] as const;

/** Shows each finger where it is, how many there were at most, and the last point. */
export function touchesScreen(context: AppContext): Activity {
  const state = text('Touch below', { id: 'touch_state', padding: [4, 20, 10, 20], color: theme.textSoft });
  const pad = new TouchPad(state);
  return {
    content: page({
      title: 'Touch pad',
      onUp: () => context.finish(),
      body: column({ width: 'fill', share: 1 }, [state, pad]),
    }),
  };
}

class TouchPad extends View {
  readonly #state: TextView;
  readonly #fingers = new Map<number, { x: number; y: number }>();
  #most = 0;

  constructor(state: TextView) {
    super({ id: 'pad', description: 'Touch pad', share: 1, width: 'fill', background: theme.surfaceLow });
    this.#state = state;
  }

  override touch({ phase, x, y, pointer }: ViewTouch): boolean {
    if (phase === 'up' || phase === 'cancel') this.#fingers.delete(pointer);
    else this.#fingers.set(pointer, { x, y });
    this.#most = phase === 'down' && this.#fingers.size === 1 ? 1 : Math.max(this.#most, this.#fingers.size);
    this.#state.text = `Fingers: ${this.#fingers.size}, at most ${this.#most}, last ${Math.round(x)}, ${Math.round(y)}`;
    this.changed({ eventful: false });
    return true;
  }

  override paintContent(painter: Painter): void {
    for (const [pointer, { x, y }] of this.#fingers) {
      const color = COLORS[pointer % COLORS.length] ?? COLORS[0];
      painter.fill(0, y, this.width, 1, color);
      painter.fill(x, 0, 1, this.height, color);
      painter.circle(x, y, 28, color);
    }
  }
}
