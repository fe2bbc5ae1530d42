import { Cancellation } from '../../../kit/async/within.js';
import { CommandFailure, type Command } from '../command.js';

export const sleep: Command = async ({ args, machine, signal }) => {
  let ms = 0;
  for (const word of args) ms += durationMs(word);
  await machine.clock.sleep(ms, signal);
  return 0;
};

/**
 * Runs `timeout [-s SIGNAL] [-k TIME] DURATION COMMAND...`. The status is 143 when the time is up. The options are accepted and have no
 * effect.
 */
export const timeout: Command = async (call) => {
  const words = [...call.args];
  while (words[0]?.startsWith('-')) words.splice(0, 2);
  const [duration = '', ...command] = words;
  const stop = new Cancellation([call.signal]);
  const timer = call.machine.clock.sleep(durationMs(duration), stop.signal).then(
    () => 143,
    () => 143,
  );
  const status = await Promise.race([call.run(command), timer]);
  stop.abort();
  return status;
};

/** Parses a duration: `1.5`, `2s`, `3m`, `1h`, `1d`. */
function durationMs(word: string): number {
  const match = /^(\d+(?:\.\d*)?|\.\d+)([smhd]?)$/.exec(word);
  if (!match) throw new CommandFailure(`not a number '${word}'`);
  const unitMs = { '': 1_000, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] ?? ''] ?? 1_000;
  return Number(match[1]) * unitMs;
}
