import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SeenElements } from '../../../replay/timeline/seen-elements.js';
import { toReplay } from '../../../replay/timeline/to-replay.js';
import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { Invocation } from '../command/command.js';
import { fileFailure } from '../output/file-failure.js';
import { Failure } from '../output/failure.js';
import { plainLine } from '../output/plain-text.js';
import { UsageError } from '../output/usage-error.js';
import { openService } from '../service/connection.js';
import type { Device } from '../service/types.js';
import { followTimeline } from './follow-timeline.js';
import { KeptTimeline } from './kept-timeline.js';
import { saveReplay } from './save-replay.js';
import { entriesOf, type EntryFilter, MAX_ENTRIES } from './timeline-entries.js';

/**
 * Writes a replay of what is done with a phone until Ctrl-C, or of what was done in a time that is over. Ctrl-C ends the recording and is no
 * failure of the command.
 */
export async function run(invocation: Invocation): Promise<void> {
  const { words, options, terminal, signal } = invocation;
  const [name = ''] = words;
  const file = options.text('output') ?? `${name}.yaml`;
  if (file === '-') throw new UsageError('record-steps: --output must be a file, as its pictures are beside it.');
  const { phone } = openService(invocation);
  const past = pastOf(invocation);
  const folder = dirname(file);
  // A recording is not to be lost for want of a place.
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw fileFailure(folder, error);
  });
  const { device } = await phone.get('/v1/devices/{name}', { params: { path: { name } }, signal });
  const key = options.text('key');
  const filter = past === undefined ? await live(invocation, phone, name, key) : { ...past, key };
  const { signal: own } = new AbortController();
  const { entries, isCut } = await entriesOf(phone, name, filter, past === undefined ? own : signal);
  const recorded = toReplay(entries, new SeenElements(), { name, device: recordedDevice(device) });
  const { replay, leftOut } = recorded;
  if (replay.steps.length === 0) {
    const why =
      leftOut === 0
        ? `Nothing was done with ${name} on its screen in this time`
        : `None of the ${leftOut} steps of this time can be done by a later run`;
    throw new Failure(
      `${why}, so no file was written. Use the screen in the panel meanwhile, or choose another --from.`,
    );
  }
  const comment = `What was done with ${name}. Run it: cloudphone replay ${file} --device ${name}`;
  const { pictures, fault } = await saveReplay(phone, recorded, { file, comment, signal: own });
  if (fault !== undefined)
    terminal.note(
      `cloudphone: a picture could not be had or written, so the others were left out: ${plainLine(fault)}`,
    );
  const variables = Object.keys(replay.variables ?? {});
  if (options.flag('json')) {
    const result = { file, steps: replay.steps.length, pictures, variables, left_out: leftOut, cut: isCut };
    terminal.line(JSON.stringify(result, undefined, 2));
    return;
  }
  terminal.line(`${file}  ${replay.steps.length} steps, ${pictures} pictures`);
  if (variables.length > 0)
    terminal.note(`cloudphone: give a text for each of ${variables.join(', ')} when you run it.`);
  if (leftOut > 0) terminal.note(`cloudphone: ${leftOut} steps were left out, as a later run cannot do them.`);
  if (isCut) terminal.note(`cloudphone: only the latest ${MAX_ENTRIES} entries of the timeline were used.`);
}

/** Follows the phone until Ctrl-C. The timeline is on meanwhile. Returns the filter of the time of the recording. */
async function live(
  invocation: Invocation,
  phone: CloudPhone,
  name: string,
  key: string | undefined,
): Promise<EntryFilter> {
  const { terminal, signal } = invocation;
  const params = { path: { name } };
  // The service has read the screen then, so it knows what the first touch hits. Its clock is that of the entries.
  const query = { screenshot: 'none', elements: 'compact' } as const;
  const observe = async (): Promise<string> =>
    (await phone.get('/v1/devices/{name}/observe', { params: { ...params, query }, signal })).observation.observed_at;
  await observe();
  const timeline = new KeptTimeline(phone, name);
  try {
    await timeline.keepOn();
    const from = await observe();
    terminal.note(
      `cloudphone: do the steps on the screen of ${name}, in the panel for example. Ctrl-C ends the recording.`,
    );
    const filter = { from, key };
    await followTimeline(invocation, phone, name, { filter, timeline });
    return filter;
  } finally {
    await restore(terminal, timeline, name);
  }
}

/** Turns the timeline off where it was off before. A fault is noted alone, as what was recorded must still be written. */
async function restore(terminal: Invocation['terminal'], timeline: KeptTimeline, name: string): Promise<void> {
  try {
    if (await timeline.restore())
      terminal.note(`cloudphone: the timeline of ${name} is off again, and keeps what was done.`);
  } catch (error) {
    const why = plainLine(error instanceof Error ? error.message : String(error));
    terminal.note(`cloudphone: the timeline of ${name} is still on, turn it off in the panel: ${why}`);
  }
}

/** Returns the times of a recording of the past; undefined where none is given. */
function pastOf({ options }: Invocation): EntryFilter | undefined {
  const [from, to] = ['from', 'to'].map((name) => {
    const text = options.text(name);
    if (text === undefined) return undefined;
    const ms = Date.parse(text);
    if (Number.isNaN(ms))
      throw new UsageError(`--${name} is "${text}". It must be a time, such as 2026-11-20T17:00:00Z.`);
    return new Date(ms).toISOString();
  });
  if (from === undefined && to !== undefined) throw new UsageError('record-steps: --to needs --from.');
  return from === undefined ? undefined : { from, to };
}

function recordedDevice({ model, android, screen }: Device): {
  model: string;
  android: string;
  width: number;
  height: number;
} {
  const { width, height } = screen;
  return { model, android, width, height };
}
