import type { Activity, AppContext } from '../../../simulated-phone/apps/app.js';
import type { Painter } from '../../../simulated-phone/ui/painter.js';
import type { TextView } from '../../../simulated-phone/ui/text-view.js';
import type { View, ViewTouch } from '../../../simulated-phone/ui/view.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';

const COLORS = ['#2f7de1', '#d9822b', '#159570', '#8e44ad', '#c0392b'] as const;

/** Shows the place of each finger, the most fingers at the same time, and the last point. */
export function touchesScreen(ui: Toolkit, context: AppContext): Activity {
  const { text, theme, column, page } = ui;
  const state = text('Touch below', { id: 'touch_state', padding: [4, 20, 10, 20], color: theme.textSoft });
  const pad = touchPad(ui, state);
  return {
    content: page({
      title: 'Touch pad',
      onUp: () => context.finish(),
      body: column({ width: 'fill', share: 1 }, [state, pad]),
    }),
  };
}

function touchPad({ View, theme }: Toolkit, state: TextView): View {
  const fingers = new Map<number, { x: number; y: number }>();
  let most = 0;
  return new (class extends View {
    override touch({ phase, x, y, pointer }: ViewTouch): boolean {
      if (phase === 'up' || phase === 'cancel') fingers.delete(pointer);
      else fingers.set(pointer, { x, y });
      most = phase === 'down' && fingers.size === 1 ? 1 : Math.max(most, fingers.size);
      state.text = `Fingers: ${fingers.size}, at most ${most}, last ${Math.round(x)}, ${Math.round(y)}`;
      this.changed({ eventful: false });
      return true;
    }

    override paintContent(painter: Painter): void {
      for (const [pointer, { x, y }] of fingers) {
        const color = COLORS[pointer % COLORS.length] ?? COLORS[0];
        painter.fill(0, y, this.width, 1, color);
        painter.fill(x, 0, 1, this.height, color);
        painter.circle(x, y, 28, color);
      }
    }
  })({ id: 'pad', description: 'Touch pad', share: 1, width: 'fill', background: theme.surfaceLow });
}
