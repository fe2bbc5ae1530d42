import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Invocation } from '../command/command.js';
import { plainLine } from '../output/plain-text.js';
import { beginRecording, MAX_RECORDING_S, type Recording, saveRecording, stopRecording } from '../screen/recording.js';
import type { Service } from '../service/connection.js';

/** Begins to record a phone of a run. Undefined: that failed, which is reported and does not end the run. */
export async function beginFilm(
  { terminal, signal }: Invocation,
  { phone }: Service,
  name: string,
): Promise<Recording | undefined> {
  try {
    return await beginRecording(phone, name, { max_s: MAX_RECORDING_S }, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    terminal.note(`cloudphone: ${name} is not recorded: ${reasonOf(error)}`);
    return undefined;
  }
}

/** Ends the recording of a phone, and saves its video as `recording.mp4` among the phone's artifacts. A failure is reported alone. */
export async function saveFilm(
  invocation: Invocation,
  service: Service,
  film: Recording,
  folder: string,
): Promise<void> {
  const target = join(folder, film.device);
  try {
    await mkdir(target, { recursive: true });
    const ended = await stopRecording(service.phone, film);
    await saveRecording(invocation, service, ended, join(target, 'recording.mp4'));
  } catch (error) {
    if (invocation.signal.aborted) throw error;
    invocation.terminal.note(`cloudphone: the video of ${film.device} could not be saved: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  return plainLine(error instanceof Error ? error.message : String(error));
}
