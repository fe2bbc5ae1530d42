import type { Activity, AppContext } from '../../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';
import { labPage, numberExtra } from './lab-page.js';

const WAY = 180;
const BOX = 96;

/**
 * A box that moves once for `ms` (300) when the screen opens, and again on each tap. `ms` is not scaled by the settings, so
 * that the end is where a script expects it; pass `scaled true` for the opposite.
 */
export function animationScreen(ui: Toolkit, context: AppContext): Activity {
  const { button, overlay, row, picture, text, theme, AT_REST } = ui;
  let ms = numberExtra(context, 'ms', 300);
  let there = false;
  const state = text('', { id: 'state', size: 15, color: theme.textSoft });
  const box = picture({
    id: 'box',
    description: 'Moving box',
    width: BOX,
    height: BOX,
    draw: (painter, width, height) => painter.fill(0, 0, width, height, '#8e44ad', 20),
  });
  const run = (): void => {
    const scale = context.extras['scaled'] === 'true' ? context.animatorScale : 1;
    const far = { dx: WAY, dy: 0, alpha: 1 };
    box.animate(there ? far : AT_REST, there ? AT_REST : far, ms * scale);
    there = !there;
    state.text = `Moving ${there ? 'right' : 'left'}, ${ms} ms`;
  };
  const choices = [0, 100, 300, 900].map((length) =>
    button(`${length}`, {
      id: `run_${length}`,
      kind: 'tonal',
      description: `Animate ${length} ms`,
      padding: [11, 16],
      onClick: () => {
        ms = length;
        run();
      },
    }),
  );
  return {
    content: labPage(ui, context, 'Animation', [
      overlay({ width: 'fill', height: 140, padding: [22, 0] }, [box]),
      state,
      row({ gap: 8 }, choices),
      button('Again', { id: 'again', onClick: run }),
    ]),
    onOpen: run,
  };
}
