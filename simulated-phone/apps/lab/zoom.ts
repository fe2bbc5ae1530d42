import { column } from '../../ui/containers.js';
import type { Painter } from '../../ui/painter.js';
import { theme } from '../../ui/theme.js';
import { ZoomView } from '../../ui/zoom-view.js';
import type { Activity, AppContext } from '../app.js';
import { page } from '../page.js';

/** Streets of the town, dp. */
const BLOCK = 60;
const BLOCKS = 14;

const PARK = '#b7dfb0';
const WATER = '#a5cdf2';
const HOUSE = '#d9d4c8';

/** A town from above, to be zoomed with two fingers; its description names the factor. */
export function zoomScreen(context: AppContext): Activity {
  const map = new ZoomView({
    id: 'map',
    subject: 'Map',
    width: 'fill',
    share: 1,
    background: theme.surfaceLow,
    content: { width: BLOCK * BLOCKS, height: BLOCK * BLOCKS },
    draw: drawTown,
  });
  return {
    content: page({
      title: 'Map',
      onUp: () => context.finish(),
      body: column({ width: 'fill', share: 1 }, [map]),
    }),
  };
}

function drawTown(painter: Painter, scale: number): void {
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
      painter.label(number, (at + 0.5) * block, (row + 0.5) * block, 14 * scale, 500, theme.textSoft);
    }
  }
}
