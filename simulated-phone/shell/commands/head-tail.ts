import type { Command } from '../command.js';
import { HeldLines, lines } from '../lines.js';
import { parseOptions } from '../options.js';
import { eachInput } from './cat.js';

export const head: Command = (call) => {
  const options = parseOptions(dashNumber(call.args), { flags: ['q', 'v'], values: ['n', 'c'] });
  const bytes = options.value('c');
  const count = Number(options.value('n') ?? 10);
  return eachInput(call, options.rest, async (source, name) => {
    if (options.rest.length > 1 && !options.has('q')) await call.stdout.write(`==> ${name} <==\n`);
    if (bytes !== undefined) {
      let left = Number(bytes);
      for (let part = await source.read(); part && left > 0; part = await source.read()) {
        await call.stdout.write(part.subarray(0, left));
        left -= part.length;
        if (left <= 0) break;
      }
      return;
    }
    if (count < 0) {
      const held = new HeldLines(call.memory);
      for await (const line of lines(source)) {
        held.push(line);
        if (held.length > -count) await call.stdout.write(`${held.shift() ?? ''}\n`);
      }
      return;
    }
    let left = count;
    if (left === 0) return;
    for await (const line of lines(source)) {
      await call.stdout.write(`${line}\n`);
      if (--left === 0) return;
    }
  });
};

export const tail: Command = (call) => {
  const options = parseOptions(dashNumber(call.args), { flags: ['f', 'F', 'q'], values: ['n', 'c', 's'] });
  const bytes = options.value('c');
  const number = options.value('n') ?? '10';
  return eachInput(call, options.rest, async (source, name) => {
    if (options.rest.length > 1 && !options.has('q')) await call.stdout.write(`==> ${name} <==\n`);
    if (bytes !== undefined)
      await call.stdout.write(await lastBytes(source, Math.min(Math.abs(Number(bytes)), MAX_TAIL_BYTES)));
    else if (number.startsWith('+')) {
      let at = 0;
      for await (const line of lines(source)) if (++at >= Number(number)) await call.stdout.write(`${line}\n`);
    } else {
      const count = Math.abs(Number(number));
      const held = new HeldLines(call.memory);
      for await (const line of lines(source)) {
        held.push(line);
        if (held.length > count) held.shift();
      }
      for (let line = held.shift(); line !== undefined; line = held.shift()) await call.stdout.write(`${line}\n`);
    }
    // Data appended to the file is read once per half second.
    while (options.has('f') && !call.signal.aborted) {
      const part = await source.read();
      if (part) await call.stdout.write(part);
      else await call.machine.clock.sleep(FOLLOW_MS, call.signal);
    }
  });
};

const FOLLOW_MS = 500;
const MAX_TAIL_BYTES = 16 * 1024 * 1024;

async function lastBytes(source: { read(): Promise<Buffer | undefined> }, count: number): Promise<Buffer> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const newest = (): Buffer => {
    const joined = Buffer.concat(parts);
    return joined.subarray(Math.max(0, joined.length - count));
  };
  for (let part = await source.read(); part; part = await source.read()) {
    parts.push(part);
    bytes += part.length;
    // The parts are joined only now and then, as joining copies all bytes that are held.
    if (bytes <= 2 * count + 1024 * 1024) continue;
    parts = [newest()];
    bytes = count;
  }
  return newest();
}

/** Replaces `-5` by `-n 5`. */
function dashNumber(args: readonly string[]): string[] {
  return args.flatMap((word) => (/^-\d+$/.test(word) ? ['-n', word.slice(1)] : [word]));
}
