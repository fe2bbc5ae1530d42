import { type Client, createClient, type ServiceImpl } from '@connectrpc/connect';
import { ApiError } from '../../../kit/errors/api-error.js';
import { rpcOptions } from '../../../kit/rpc/call-crossing.js';
import { callerOf, callOf } from '../../../kit/rpc/context.js';
import { RecordingService } from '../../../proto/gen/cloudphone/device/v1/recording_service_pb.js';
import { findVisibleDevice } from '../../accounts/callers/visibility.js';
import { recordingMessage } from '../../record/recording-message.js';
import { deleteRecording } from '../delete-recording.js';
import { findRecording, listRecordings } from '../find-recording.js';
import { readRecording } from '../read-recording.js';
import type { RecordingsContext } from '../recordings-context.js';
import { startRecording } from '../start-recording.js';

/** Adapts the operations of recordings to their rpcs. What needs the files is done by the host that has them. */
export function recordingRpc(parts: RecordingsContext): ServiceImpl<typeof RecordingService> {
  /** Returns the service of the host; undefined where the host is this one. */
  const otherHost = async (hostId: string): Promise<Client<typeof RecordingService> | undefined> => {
    if (parts.dispatch.isOwn(hostId)) return undefined;
    const way = await parts.dispatch.wayTo(hostId);
    if (way !== undefined) return createClient(RecordingService, way);
    throw new ApiError('unavailable', 'The host of the phone cannot be reached just now. Try again.');
  };
  return {
    startRecording: async (request, context) => {
      const { hostId } = await findVisibleDevice(parts.devices, callerOf(context), request.name);
      const other = await otherHost(hostId);
      if (other !== undefined) return other.startRecording(request, rpcOptions(callOf(context)));
      return { recording: recordingMessage(await startRecording(parts, callerOf(context), request)) };
    },
    stopRecording: async (request, context) => {
      const found = await findRecording(parts, callerOf(context), request);
      if (found.state !== 'recording') return { recording: recordingMessage(found) };
      const other = await otherHost(found.hostId);
      if (other !== undefined) return other.stopRecording(request, rpcOptions(callOf(context)));
      await parts.recorders.stop(found._id);
      const stopped = await findRecording(parts, callerOf(context), request);
      // A crash or an outage of the database left it so; the sweep notes its end within a minute.
      if (stopped.state === 'recording')
        throw new ApiError('unavailable', 'The end of the recording is not noted yet. Try again.', { retryAfterS: 5 });
      return { recording: recordingMessage(stopped) };
    },
    listRecordings: async (request, context) => {
      const { items, ...page } = await listRecordings(parts, callerOf(context), request);
      return { recordings: items.map(recordingMessage), ...page };
    },
    getRecording: async (request, context) => ({
      recording: recordingMessage(await findRecording(parts, callerOf(context), request)),
    }),
    async *readRecording(request, context) {
      const found = await findRecording(parts, callerOf(context), request);
      const other = await otherHost(found.hostId);
      if (other !== undefined) {
        yield* other.readRecording(request, rpcOptions(callOf(context)));
        return;
      }
      for await (const file of readRecording(parts.files, found, request)) yield { file };
    },
    deleteRecording: async (request, context) => {
      const found = await findRecording(parts, callerOf(context), request);
      const other = await otherHost(found.hostId);
      if (other !== undefined) return other.deleteRecording(request, rpcOptions(callOf(context)));
      await deleteRecording(parts, found);
      return {};
    },
  };
}
