import { CloudPhoneError } from '../../../client/src/errors.js';
import { isPassing } from '../../../client/src/send.js';
import type { Invocation } from '../command/command.js';
import { Failure } from '../output/failure.js';
import { sizeText } from '../output/sizes.js';
import { UsageError } from '../output/usage-error.js';
import { openService } from '../service/connection.js';
import { devicePath } from '../service/list-items.js';
import { beginRecording, MAX_RECORDING_S, type Recording, saveRecording, stopRecording } from './recording.js';

/** Time between two looks at a recording, ms. They count against the request limit of the phone, which all callers share. */
const LOOK_MS = 2_000;

/** The command ends when the service was away for this long, ms: longer than a busy machine takes to start it again. */
const AWAY_MS = 45_000;

/**
 * Records the screen until Ctrl-C or the end of the time, and saves the video. Ctrl-C ends the recording and is no failure of the command,
 * which goes on until the video is saved.
 */
export async function run(invocation: Invocation): Promise<void> {
  const { words, options, terminal, signal } = invocation;
  const [name = ''] = words;
  const file = options.text('output') ?? `${name}.mp4`;
  if (file === '-') throw new UsageError('record: --output must be a file, as a recording may have several.');
  const maxS = options.number('max-s', { min: 1, max: MAX_RECORDING_S });
  const maxSize = options.number('max-size', { min: 16, max: 8_192 });
  const fps = options.number('fps', { min: 1, max: 60 });
  const service = openService(invocation);
  const form = {
    ...(maxS !== undefined && { max_s: maxS }),
    ...(maxSize !== undefined && { max_size: maxSize }),
    ...(fps !== undefined && { fps }),
  };
  const begun = await beginRecording(service.phone, name, form, signal);
  terminal.note(`cloudphone: ${name} is recorded. Ctrl-C ends it.`);
  const ended = await endOf(invocation, begun);
  // The end of the recording has aborted the signal of the call.
  const { signal: whole } = new AbortController();
  const files = await saveRecording({ ...invocation, signal: whole }, service, ended, file);
  if (options.flag('json')) terminal.line(JSON.stringify({ recording: ended, files }, undefined, 2));
  else for (const { file: saved, size } of files) terminal.line(`${saved}  ${sizeText(size)}`);
  if (ended.state !== 'ready') throw new Failure(ended.reason ?? `The recording ended as ${ended.state}.`);
}

/**
 * Waits until a recording has ended, or ends it when the program is to end. A service that restarts meanwhile ends or keeps the recording:
 * the command waits to hear which.
 */
async function endOf(invocation: Invocation, begun: Recording): Promise<Recording> {
  const { wait, nowMs, signal } = invocation;
  const { phone } = openService(invocation);
  const params = { path: { name: begun.device, id: begun.id } };
  let heardMs = nowMs();
  for (;;)
    try {
      await wait(LOOK_MS, signal);
      const { recording } = await phone.get('/v1/devices/{name}/recordings/{id}', { params, signal });
      if (recording.state !== 'recording') return recording;
      heardMs = nowMs();
    } catch (error) {
      if (signal.aborted) return stopRecording(phone, begun);
      if (!(error instanceof CloudPhoneError) || !isPassing(error)) throw error;
      if (nowMs() - heardMs >= AWAY_MS) throw withWhatGoesOn(error, begun);
    }
}

/** Returns the error of a service that is away, which says how to have the recording that goes on there. */
function withWhatGoesOn(error: CloudPhoneError, { device, id }: Recording): CloudPhoneError {
  const path = `${devicePath(device, '/recordings')}/${id}`;
  const { message, kind, status } = error;
  return new CloudPhoneError(
    `${message} The recording goes on there. End it with POST ${path}/stop, then get ${path}/content.`,
    { kind, status },
    { cause: error },
  );
}
