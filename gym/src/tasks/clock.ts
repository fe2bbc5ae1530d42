import { Family } from '../family.js';
import { firstLack, lack } from '../phone/same.js';
import type { Action } from '../task.js';
import { open, tap, wait } from './steps.js';

/** The state that the clock keeps. */
interface ClockState {
  stopwatch?: { runs: boolean; laps: number; ms: number };
  timer?: { runs: boolean; seconds: number; done: number };
}

const times = (count: number, action: Action): Action[] => Array.from({ length: count }, () => action);

/** The clock, read from the state that it keeps. */
export const clock = new Family('clock')
  .add('long-timer', {
    params: ({ int }) => ({ more: int(1, 5) }),
    goal: ({ more }) => `Start a timer of ${60 + more * 10} seconds.`,
    verdict: async (phone, { more }) => {
      const { timer } = await stateOf(phone);
      // The timer of a slow agent has run to its end before the verdict.
      const end = timer?.done === 1 ? { runs: false, done: 1 } : { runs: true, done: 0 };
      return lack('the timer', timer, { seconds: 60 + more * 10, ...end });
    },
    policy: ({ more }) => [open('Clock'), tap('Timer'), ...times(more, tap('+10 s')), tap('Start')],
  })
  .add('timer-cancelled', {
    params: ({ int }) => ({ more: int(6, 9) }),
    goal: ({ more }) => `Start a timer of ${60 + more * 10} seconds, and cancel it.`,
    verdict: async (phone, { more }) =>
      lack('the timer', (await stateOf(phone)).timer, { runs: false, seconds: 60 + more * 10, done: 0 }),
    policy: ({ more }) => [open('Clock'), tap('Timer'), ...times(more, tap('+10 s')), tap('Start'), tap('Cancel')],
  })
  .add('timer-rings', {
    params: () => ({}),
    goal: () => 'Let a timer of 20 seconds run to its end.',
    verdict: async (phone) => lack('the timer', (await stateOf(phone)).timer, { runs: false, seconds: 20, done: 1 }),
    policy: () => [
      ...[open('Clock'), tap('Timer'), ...times(4, tap('−10 s')), tap('Start')],
      ...[wait('Time’s up'), tap('OK')],
    ],
  })
  .add('stopwatch-runs', {
    params: () => ({}),
    goal: () => 'Start the stopwatch and let it run.',
    verdict: async (phone) => lack('whether the stopwatch runs', (await stateOf(phone)).stopwatch?.runs, true),
    policy: () => [open('Clock'), tap('Stopwatch'), tap('Start')],
  })
  .add('laps', {
    params: ({ int }) => ({ laps: int(2, 4) }),
    goal: ({ laps }) => `Run the stopwatch, take ${laps} laps, and stop it.`,
    verdict: async (phone, { laps }) => {
      const { stopwatch } = await stateOf(phone);
      return firstLack(
        lack('whether it runs', stopwatch?.runs, false),
        lack('the number of laps', stopwatch?.laps, laps),
      );
    },
    policy: ({ laps }) => [open('Clock'), tap('Stopwatch'), tap('Start'), ...times(laps, tap('Lap')), tap('Stop')],
  })
  .add('reset', {
    params: () => ({}),
    goal: () => 'Run the stopwatch, stop it, and set it back to zero.',
    verdict: async (phone) => lack('the stopwatch', (await stateOf(phone)).stopwatch, { runs: false, laps: 0, ms: 0 }),
    policy: () => [open('Clock'), tap('Stopwatch'), tap('Start'), tap('Stop'), tap('Reset')],
  });

async function stateOf(phone: {
  appState: <T>(name: string, file: string) => Promise<T | undefined>;
}): Promise<ClockState> {
  return (await phone.appState<ClockState>('com.cloudphone.clock', 'clock.json')) ?? {};
}
