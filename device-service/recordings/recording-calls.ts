import { type Client, createClient } from '@connectrpc/connect';
import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { rpcOptions } from '../../kit/rpc/call-crossing.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Recording } from '../../proto/gen/cloudphone/device/v1/recording_pb.js';
import {
  RecordingService,
  type StartRecordingRequest,
  type StopRecordingRequest,
} from '../../proto/gen/cloudphone/device/v1/recording_service_pb.js';
import { findDeviceToChange } from '../accounts/callers/leased.js';
import { recordingMessage } from '../record/recording-message.js';
import { findRecording, findRecordingToChange } from './find-recording.js';
import type { RecordingsContext } from './recordings-context.js';
import { startRecording } from './start-recording.js';

/** Begins and ends recordings on any host: the host of the phone does it. */
export class RecordingCalls {
  readonly #context: RecordingsContext;

  constructor(context: RecordingsContext) {
    this.#context = context;
  }

  /** Returns the recording with its first picture. Errors are those of the rpc. */
  async start(call: Call, caller: Caller, request: StartRecordingRequest): Promise<Recording | undefined> {
    const { hostId } = await findDeviceToChange(this.#context.devices, caller, request.name);
    const other = await this.otherHost(hostId);
    if (other !== undefined) return (await other.startRecording(request, rpcOptions(call))).recording;
    return recordingMessage(await startRecording(this.#context, caller, request));
  }

  /** Returns the recording, whose files are whole. Errors are those of the rpc. */
  async stop(call: Call, caller: Caller, request: StopRecordingRequest): Promise<Recording | undefined> {
    const found = await findRecordingToChange(this.#context, caller, request);
    if (found.state !== 'recording') return recordingMessage(found);
    const other = await this.otherHost(found.hostId);
    if (other !== undefined) return (await other.stopRecording(request, rpcOptions(call))).recording;
    await this.#context.recorders.stop(found._id);
    const stopped = await findRecording(this.#context, caller, request);
    // A crash or an outage of the database left it so; the sweep notes its end within a minute.
    if (stopped.state === 'recording')
      throw new ApiError('unavailable', 'The end of the recording is not noted yet. Try again.', { retryAfterS: 5 });
    return recordingMessage(stopped);
  }

  /** Returns the service of the host; undefined where the host is this one. */
  async otherHost(hostId: string): Promise<Client<typeof RecordingService> | undefined> {
    const { dispatch } = this.#context;
    if (dispatch.isOwn(hostId)) return undefined;
    const way = await dispatch.wayTo(hostId);
    if (way !== undefined) return createClient(RecordingService, way);
    throw new ApiError('unavailable', 'The host of the phone cannot be reached just now. Try again.');
  }
}
