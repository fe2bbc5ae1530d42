import { button } from '../../ui/button.js';
import { column, overlay, row } from '../../ui/containers.js';
import { LiveText, text } from '../../ui/text-view.js';
import { theme } from '../../ui/theme.js';
import type { View } from '../../ui/view.js';
import type { AppContext } from '../app.js';
import type { ClockRecord } from './clock-record.js';

const HUNDREDTH_MS = 10;
const BIG = { id: 'stopwatch_time', size: 56, weight: 400 } as const;

/** Returns a stopwatch. Its text changes all the time while it runs, so a dump of it never finds the screen idle. */
export function stopwatch(context: AppContext, record: ClockRecord): View {
  let runFromMs: number | undefined;
  let keptMs = 0;
  let laps: number[] = [];
  const face = overlay({}, [text(clockText(0), BIG)]);
  const list = column({ id: 'laps', align: 'center', gap: 4 }, []);
  const elapsed = (nowMs: number): number => keptMs + (runFromMs === undefined ? 0 : nowMs - runFromMs);

  const note = (): void => {
    const ms = elapsed(context.clock.monotonicMs());
    context.run(record.note({ stopwatch: { runs: runFromMs !== undefined, laps: laps.length, ms } }), () => undefined);
  };
  const showFace = (): void => {
    const startMs = runFromMs;
    const still = text(clockText(elapsed(context.clock.monotonicMs())), BIG);
    const live = (from: number): View =>
      new LiveText((nowMs) => clockText(elapsed(nowMs)), { ...BIG, startMs: from, periodMs: HUNDREDTH_MS });
    face.setChildren([startMs === undefined ? still : live(startMs)]);
    start.label = startMs === undefined ? 'Start' : 'Stop';
    lap.label = startMs === undefined ? 'Reset' : 'Lap';
    lap.enabled = startMs !== undefined || keptMs > 0;
  };
  const showLaps = (): void => {
    list.setChildren(
      laps
        .slice(-6)
        .map((ms, at) =>
          text(`Lap ${Math.max(0, laps.length - 6) + at + 1}   ${clockText(ms)}`, { size: 15, color: theme.textSoft }),
        ),
    );
  };
  const start = button('Start', {
    id: 'start_stop',
    width: 128,
    onClick: () => {
      const nowMs = context.clock.monotonicMs();
      keptMs = elapsed(nowMs);
      runFromMs = runFromMs === undefined ? nowMs : undefined;
      showFace();
      note();
    },
  });
  const lap = button('Reset', {
    id: 'lap_reset',
    kind: 'tonal',
    width: 128,
    enabled: false,
    onClick: () => {
      if (runFromMs === undefined) {
        keptMs = 0;
        laps = [];
      } else laps.push(elapsed(context.clock.monotonicMs()));
      showFace();
      showLaps();
      note();
    },
  });
  return column({ width: 'fill', height: 'fill', align: 'center', justify: 'center', gap: 28 }, [
    face,
    row({ gap: 16 }, [lap, start]),
    list,
  ]);
}

/** Returns `01:23.45`, with hours in front when there are any. */
function clockText(ms: number): string {
  const hundredths = Math.floor(Math.max(0, ms) / HUNDREDTH_MS);
  const two = (count: number): string => String(count).padStart(2, '0');
  const seconds = Math.floor(hundredths / 100);
  const hours = Math.floor(seconds / 3600);
  const tail = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${two(hundredths % 100)}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}
