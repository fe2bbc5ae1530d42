import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Invocation } from '../command/command.js';
import { fileFailure } from '../output/file-failure.js';
import { STATUS, statusOfKind } from '../output/failure.js';
import { plainLine } from '../output/plain-text.js';
import { UsageError } from '../output/usage-error.js';
import { openService } from '../service/connection.js';
import type { Difference } from './difference.js';
import { junitOf } from './junit.js';
import { openReplay } from './open-replay.js';
import { play } from './play.js';
import type { Played, PlayedStep } from './played.js';
import { savePictures } from './save-pictures.js';
import { stepWords } from './step-words.js';
import { valuesOf } from './values.js';

/**
 * Runs a replay file on a phone. Returns 0 when every step passed, and 1 when the screen differs. A fault of the phone or the service has
 * its own status.
 */
export async function run(invocation: Invocation): Promise<number> {
  const { words, options, terminal, nowMs, signal } = invocation;
  const [file = ''] = words;
  const device = options.text('device');
  if (device === undefined) throw new UsageError('replay: --device NAME is missing.');
  const read = await openReplay(file, terminal);
  const values = await valuesOf(invocation, file, read.replay);
  const { phone } = openService(invocation);
  const count = read.replay.steps.length;
  const isJson = options.flag('json');
  const onStep = (step: PlayedStep): void => {
    if (!isJson) terminal.line(plainLine(stepLine(step, count)));
  };
  const played = await play({ phone, device, nowMs, signal }, read, values, onStep);
  const failed = played.steps.find(({ state }) => state === 'failed');
  const { difference } = played;
  const folder = options.text('artifacts');
  const files =
    failed === undefined || difference === undefined || folder === undefined
      ? []
      : await savePictures(failed, difference, { file, folder, terminal });
  if (isJson) terminal.line(JSON.stringify(resultOf(played, { file, device, files }), undefined, 2));
  else if (failed !== undefined && difference !== undefined)
    for (const line of differenceLines(failed, difference, { file, count, files, hasFolder: folder !== undefined }))
      terminal.note(plainLine(line));
  const junit = options.text('junit');
  const suite = read.replay.name ?? basename(file);
  if (junit !== undefined)
    await writeFile(junit, junitOf(played, { suite, file, files })).catch((error: unknown) => {
      throw fileFailure(junit, error);
    });
  if (difference === undefined) return 0;
  return difference.isDifference ? STATUS.refused : statusOfKind(difference.kind);
}

function stepLine({ number, step, state, durationMs }: PlayedStep, count: number): string {
  const warning = step.warning === undefined ? '' : `  (${step.warning})`;
  return `${state === 'passed' ? 'ok' : 'not ok'} ${number}/${count} ${stepWords(step)}  ${(durationMs / 1_000).toFixed(1)} s${warning}`;
}

function differenceLines(
  { number, line, step }: PlayedStep,
  { isDifference, message, expected, app, nearest, unseen }: Difference,
  { file, count, files, hasFolder }: { file: string; count: number; files: readonly string[]; hasFolder: boolean },
): string[] {
  return [
    `cloudphone: step ${number} of ${count} ${isDifference ? 'differs' : 'could not be done'}: ${stepWords(step)} (${file}:${line})`,
    `  expected: ${expected}`,
    `  reason: ${message}`,
    ...(app === '' ? [] : [`  app in front: ${app}`]),
    ...(nearest.length === 0 ? [] : ['  nearest on the screen:', ...nearest.map((one) => `    ${one}`)]),
    ...(unseen === undefined ? [] : [`  the screen could not be read: ${unseen}`]),
    ...files.map((one) => `  picture: ${one}`),
    ...(hasFolder ? [] : ['  --artifacts FOLDER saves the recorded picture and that of the screen now.']),
  ];
}

/** Returns the object of --json. Steps are in it as the file has them, so no value of a variable is. */
function resultOf(
  { steps, difference }: Played,
  { file, device, files }: { file: string; device: string; files: readonly string[] },
): unknown {
  return {
    ...{ file, device, passed: difference === undefined },
    steps: steps.map(({ number, line, step, state, durationMs }) => ({
      ...{ number, line, words: stepWords(step), state, duration_ms: Math.round(durationMs) },
    })),
    ...(difference !== undefined && { difference: { ...differenceFacts(difference), pictures: files } }),
  };
}

function differenceFacts({ kind, isDifference, message, expected, app, nearest, unseen }: Difference): object {
  return {
    kind,
    is_difference: isDifference,
    message,
    expected,
    app,
    nearest,
    ...(unseen !== undefined && { unseen }),
  };
}
