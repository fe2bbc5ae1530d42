import type { Timer } from '../../../kit/async/clock.js';
import { button } from '../../ui/button.js';
import { column, overlay, row } from '../../ui/containers.js';
import { LiveText, text } from '../../ui/text-view.js';
import type { View } from '../../ui/view.js';
import type { AppContext } from '../app.js';
import type { ClockRecord } from './clock-record.js';

const SECOND_MS = 1000;
const BIG = { id: 'timer_time', size: 56, weight: 400 } as const;
const MAX_COUNTDOWN_S = 99 * 60;

/** Returns a timer that is set in steps, counts down and notifies at its end. */
export function countdown(context: AppContext, record: ClockRecord): View {
  let wantedS = Number(context.extras['seconds'] ?? '60');
  if (!Number.isInteger(wantedS) || wantedS < 1 || wantedS > MAX_COUNTDOWN_S) wantedS = 60;
  let endMs: number | undefined;
  let alarm: Timer | undefined;
  let done = 0;
  const note = (): void => {
    const timer = { runs: endMs !== undefined, seconds: wantedS, done };
    context.run(record.note({ timer }), () => undefined);
  };
  const face = overlay({}, []);
  const show = (): void => {
    const end = endMs;
    const live = (until: number): View =>
      new LiveText((nowMs) => timeText(Math.ceil((until - nowMs) / SECOND_MS)), {
        ...BIG,
        startMs: until - wantedS * SECOND_MS,
        periodMs: SECOND_MS,
      });
    face.setChildren([end === undefined ? text(timeText(wantedS), BIG) : live(end)]);
    start.label = end === undefined ? 'Start' : 'Cancel';
    for (const view of [less, more]) view.enabled = end === undefined;
  };
  const stop = (): void => {
    alarm?.cancel();
    endMs = undefined;
    show();
    note();
  };
  const start = button('Start', {
    id: 'timer_start',
    width: 128,
    onClick: () => {
      if (endMs !== undefined) {
        stop();
        return;
      }
      endMs = context.clock.monotonicMs() + wantedS * SECOND_MS;
      alarm = context.later(wantedS * SECOND_MS, () => {
        done++;
        stop();
        const message = { tag: 'timer', title: 'Time’s up', text: timeText(wantedS) };
        if (!context.inFront) context.notify({ ...message, target: { package: context.package } });
        context.dialog({ title: 'Time’s up', message: timeText(wantedS), buttons: [{ label: 'OK' }] });
      });
      show();
      note();
    },
  });
  const step = (label: string, id: string, by: number): ReturnType<typeof button> =>
    button(label, {
      id,
      kind: 'tonal',
      onClick: () => {
        wantedS = Math.max(10, Math.min(MAX_COUNTDOWN_S, wantedS + by));
        show();
      },
    });
  const less = step('−10 s', 'timer_less', -10);
  const more = step('+10 s', 'timer_more', 10);
  show();
  return column({ width: 'fill', height: 'fill', align: 'center', justify: 'center', gap: 28 }, [
    face,
    row({ gap: 16 }, [less, more]),
    start,
  ]);
}

function timeText(seconds: number): string {
  const whole = Math.max(0, seconds);
  return `${String(Math.floor(whole / 60)).padStart(2, '0')}:${String(whole % 60).padStart(2, '0')}`;
}
