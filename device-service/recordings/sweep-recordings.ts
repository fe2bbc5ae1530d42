import type { RecordingDocument } from '../store/recordings.js';
import { removeRecording } from './delete-recording.js';
import { SWEPT_AT_ONCE } from './limits.js';
import type { RecordingsContext } from './recordings-context.js';

export type SweepParts = Pick<
  RecordingsContext,
  | 'recordings'
  | 'files'
  | 'recorders'
  | 'devices'
  | 'hostId'
  | 'keptMs'
  | 'recordingEvents'
  | 'recordingMetrics'
  | 'clock'
  | 'log'
>;

/**
 * Brings the recordings of this host and their files to agree, and removes those whose time is over. It runs at the start and regularly.
 * What earlier processes left is found by their documents: recordings that go on in no process, and those that are to be deleted.
 */
export async function sweepRecordings(context: SweepParts, signal: AbortSignal): Promise<void> {
  const { keptMs, clock, recorders, recordings } = context;
  for await (const { _id } of ofHost(context, 'deleting', signal)) {
    await attempt(context, _id, async () => {
      await recorders.stop(_id);
      await removeRecording(context, _id);
    });
  }
  for await (const recording of ofHost(context, 'recording', signal)) {
    if (!recorders.has(recording._id)) await attempt(context, recording._id, () => interrupt(context, recording._id));
  }
  const endedBy = new Date(clock.now() - keptMs);
  for (const state of ['ready', 'interrupted', 'failed'] as const) {
    for await (const { _id } of ofHost(context, state, signal, endedBy)) {
      await attempt(context, _id, async () => {
        if (await recordings.beginDelete(_id)) await removeRecording(context, _id);
      });
    }
  }
}

/** Does what a recording needs. A failure is logged, as it must not keep the others from what they need. The next sweep tries again. */
async function attempt({ log }: SweepParts, id: string, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    log.warn({ recording: id, err: error }, 'a recording could not be removed or mended');
  }
}

/**
 * Removes what a crash or a restored database has left: folders without a recording, recordings without a folder, and recordings of devices
 * that are gone.
 */
export async function sweepLeft(context: SweepParts, signal: AbortSignal): Promise<void> {
  const { files, recordings, devices } = context;
  const folders = new Set(await files.list());
  for (const id of folders) {
    signal.throwIfAborted();
    if ((await recordings.find(id)) === null) await attempt(context, id, () => files.remove(id));
  }
  for (const state of ['recording', 'ready', 'interrupted', 'failed'] as const) {
    for await (const { _id, phoneId } of ofHost(context, state, signal)) {
      const device = await devices.findById(phoneId);
      const isLost = state !== 'recording' && !folders.has(_id);
      if (device === null || device.gone === true) await recordings.beginDeleteOfPhone(phoneId);
      else if (isLost && !(await files.has(_id))) await recordings.beginDelete(_id);
    }
  }
}

/**
 * Notes the end of a recording whose process has ended. Its files are cut to their whole parts; one without a picture is forgotten. It is read
 * again, as it may have ended since the sweep read it: the recordings before it took their time.
 */
async function interrupt(context: SweepParts, _id: string): Promise<void> {
  const { recordings, files, recordingEvents, recordingMetrics } = context;
  const recording = await recordings.find(_id);
  if (recording?.state !== 'recording') return;
  const { startedAt, durationMs, hasSecrets } = recording;
  const { segments, sizeBytes } = await files.mend(_id);
  if (segments === 0) {
    await removeRecording(context, _id);
    return;
  }
  const endedAt = new Date(startedAt.getTime() + durationMs);
  const reason = 'The service ended while it recorded.';
  const end = { state: 'interrupted', endedAt, durationMs, segments, sizeBytes, hasSecrets, reason } as const;
  if (!(await recordings.end(_id, end))) return;
  recordingMetrics.ended('interrupted');
  recordingEvents.soon();
}

/** Yields the recordings of this host in a state, some at a time. */
async function* ofHost(
  { recordings, hostId }: Pick<RecordingsContext, 'recordings' | 'hostId'>,
  state: RecordingDocument['state'],
  signal: AbortSignal,
  endedBy?: Date,
): AsyncGenerator<RecordingDocument, void, undefined> {
  let afterId: string | undefined;
  do {
    const found: RecordingDocument[] = await recordings.findOfHost(hostId, state, SWEPT_AT_ONCE, {
      ...(afterId !== undefined && { afterId }),
      ...(endedBy !== undefined && { endedBy }),
    });
    afterId = found.length < SWEPT_AT_ONCE ? undefined : found.at(-1)?._id;
    for (const recording of found) {
      signal.throwIfAborted();
      yield recording;
    }
  } while (afterId !== undefined);
}
