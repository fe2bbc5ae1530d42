import type { Command } from '../command.js';
import { otherWork } from '../fair-streams.js';
import { launch } from './am.js';

/** Runs `monkey -p PACKAGE -c CATEGORY COUNT`. Clients use it to open an app. Each event after the first is a tap at a random place. */
export const monkey: Command = async ({ args, machine, stdout, stderr, signal }) => {
  const words = [...args];
  let name: string | undefined;
  let count = 1;
  let throttleMs = 0;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-p') name = words.shift();
    else if (word === '--throttle') throttleMs = Number(words.shift() ?? 0);
    else if (/^(-c|-s|--pct-.*|-f|--port)$/.test(word)) words.shift();
    else if (/^\d+$/.test(word)) count = Number(word);
  }
  const found = name === undefined ? undefined : machine.packages.get(name);
  if (name !== undefined && !found?.launcherActivity) {
    await stderr.write('** No activities found to run, monkey aborted.\n');
    return 252;
  }
  if (name !== undefined) launch(machine, { package: name, categories: ['android.intent.category.LAUNCHER'], extras: new Map() }); // prettier-ignore
  const events = Math.min(count, MAX_EVENTS);
  for (let event = 1; event < events && !signal.aborted; event++) {
    const x = Math.floor(machine.random() * machine.screen.width);
    const y = Math.floor(machine.random() * machine.screen.height);
    machine.screen.touch({ phase: 'down', x, y, pointer: 0 });
    machine.screen.touch({ phase: 'up', x, y, pointer: 0 });
    if (throttleMs > 0) await machine.clock.sleep(throttleMs, signal);
    else if (event % EVENTS_PER_TURN === 0) await otherWork();
  }
  await stdout.write(
    `Events injected: ${events}\n## Network stats: elapsed time=12ms (0ms mobile, 0ms wifi, 12ms not connected)\n`,
  );
  return 0;
};

const MAX_EVENTS = 100_000;
const EVENTS_PER_TURN = 16;
