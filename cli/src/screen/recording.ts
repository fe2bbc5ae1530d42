import { extname } from 'node:path';
import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { Invocation } from '../command/command.js';
import type { Service } from '../service/connection.js';
import { devicePath } from '../service/list-items.js';
import { downloadFile } from '../service/transfer.js';
import type { Schemas } from '../service/types.js';

export type Recording = Schemas['Recording'];
export type RecordingForm = Schemas['StartRecordingBody'];

/** The longest time of a recording, seconds. */
export const MAX_RECORDING_S = 7_200;

/** Begins to record the screen of a phone. Returns with the first picture. */
export async function beginRecording(
  phone: CloudPhone,
  name: string,
  form: RecordingForm,
  signal: AbortSignal,
): Promise<Recording> {
  const params = { path: { name } };
  return (await phone.post('/v1/devices/{name}/recordings', { params, body: form, signal })).recording;
}

/** Ends a recording, if it goes on. */
export async function stopRecording(phone: CloudPhone, { device, id }: Recording): Promise<Recording> {
  const params = { path: { name: device, id } };
  return (await phone.post('/v1/devices/{name}/recordings/{id}/stop', { params })).recording;
}

/**
 * Saves the files of a recording that has ended, and returns their names. Each turn of the screen begins another file: they are named
 * `demo.mp4`, `demo-2.mp4` and so on.
 */
export async function saveRecording(
  calls: Pick<Invocation, 'terminal' | 'signal' | 'newId'>,
  service: Service,
  { device, id, segments }: Recording,
  file: string,
): Promise<{ file: string; size: number }[]> {
  const saved: { file: string; size: number }[] = [];
  for (let segment = 0; segment < segments; segment++) {
    const name = segment === 0 ? file : numbered(file, segment + 1);
    const path = devicePath(device, `/recordings/${id}/content?segment=${segment}`);
    const size = await downloadFile(calls, service, { path, file: name, label: `record ${device}` });
    saved.push({ file: name, size });
  }
  return saved;
}

function numbered(file: string, number: number): string {
  const type = extname(file);
  return `${file.slice(0, file.length - type.length)}-${number}${type}`;
}
