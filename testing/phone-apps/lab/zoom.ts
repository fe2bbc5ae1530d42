import type { Activity, AppContext } from '../../../simulated-phone/apps/app.js';
import type { Painter } from '../../../simulated-phone/ui/painter.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';

/** The side of one block of the town, dp. Each row and column has `BLOCKS` blocks. */
const BLOCK = 60;
const BLOCKS = 14;

const PARK = '#b7dfb0';
const WATER = '#a5cdf2';
const HOUSE = '#d9d4c8';

/** Returns a screen with a map of a town that two fingers zoom. The description of the map's view names the factor. */
export function zoomScreen(ui: Toolkit, context: AppContext): Activity {
  const { column, theme, ZoomView, page } = ui;
  const map = new ZoomView({
    id: 'map',
    subject: 'Map',
    width: 'fill',
    share: 1,
    background: theme.surfaceLow,
    content: { width: BLOCK * BLOCKS, height: BLOCK * BLOCKS },
    draw: (painter, scale) => drawTown(painter, scale, theme.textSoft),
  });
  return {
    content: page({
      title: 'Map',
      onUp: () => context.finish(),
      body: column({ width: 'fill', share: 1 }, [map]),
    }),
  };
}

function drawTown(painter: Painter, scale: number, ink: string): void {
  const block = BLOCK * scale;
  for (let row = 0; row < BLOCKS; row++) {
    for (let at = 0; at < BLOCKS; at++) {
      const kind = (row * 7 + at * 5) % 11;
      const color = row + at === BLOCKS - 4 ? WATER : kind === 0 ? PARK : HOUSE;
      painter.fill(
        at * block + 4 * scale,
        row * block + 4 * scale,
        block - 8 * scale,
        block - 8 * scale,
        color,
        4 * scale,
      );
      if (color !== HOUSE) continue;
      const number = `${String.fromCharCode(65 + at)}${row + 1}`;
      painter.label(number, (at + 0.5) * block, (row + 0.5) * block, 14 * scale, 500, ink);
    }
  }
}
