import type { ServiceImpl } from '@connectrpc/connect';
import { rpcOptions } from '../../../kit/rpc/call-crossing.js';
import { whileAllowed } from '../../../kit/rpc/while-allowed.js';
import { callerOf, callOf } from '../../../kit/rpc/context.js';
import type { RecordingService } from '../../../proto/gen/cloudphone/device/v1/recording_service_pb.js';
import { recordingMessage } from '../../record/recording-message.js';
import { deleteRecording } from '../delete-recording.js';
import { findRecording, findRecordingToChange, listRecordings } from '../find-recording.js';
import { readRecording } from '../read-recording.js';
import type { RecordingCalls } from '../recording-calls.js';
import type { RecordingsContext } from '../recordings-context.js';

/** Adapts the operations of recordings to their rpcs. What needs the files is done by the host that has them. */
export function recordingRpc(parts: RecordingsContext, calls: RecordingCalls): ServiceImpl<typeof RecordingService> {
  return {
    startRecording: async (request, context) => ({
      recording: await calls.start(callOf(context), callerOf(context), request),
    }),
    stopRecording: async (request, context) => ({
      recording: await calls.stop(callOf(context), callerOf(context), request),
    }),
    listRecordings: async (request, context) => {
      const { items, ...page } = await listRecordings(parts, callerOf(context), request);
      return { recordings: items.map(recordingMessage), ...page };
    },
    getRecording: async (request, context) => ({
      recording: recordingMessage(await findRecording(parts, callerOf(context), request)),
    }),
    async *readRecording(request, context) {
      const found = await findRecording(parts, callerOf(context), request);
      const other = await calls.otherHost(found.hostId);
      if (other !== undefined) {
        yield* other.readRecording(request, rpcOptions(callOf(context)));
        return;
      }
      const check = (): Promise<unknown> => findRecording(parts, callerOf(context), request);
      const { signal } = callOf(context);
      for await (const file of whileAllowed(readRecording(parts.files, found, request), check, parts.clock, signal))
        yield { file };
    },
    deleteRecording: async (request, context) => {
      const found = await findRecordingToChange(parts, callerOf(context), request);
      const other = await calls.otherHost(found.hostId);
      if (other !== undefined) return other.deleteRecording(request, rpcOptions(callOf(context)));
      await deleteRecording(parts, found);
      return {};
    },
  };
}
