import type { ServiceImpl } from '@connectrpc/connect';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { callOf } from '../../kit/rpc/context.js';
import type { VideoEncoders } from '../../phone/video/video-encoder.js';
import type { RecorderService, RecordScreenRequest } from '../../proto/gen/cloudphone/screen/v1/recorder_service_pb.js';
import type { LocatedPhone } from '../link/reached-phone.js';
import type { PhoneSessions } from '../phones/phone-sessions.js';
import { openVideo } from '../recording/open-video.js';
import type { FilePiece } from '../recording/recorded-film.js';
import { recordScreen } from '../recording/record-screen.js';

export interface RecorderRoutesParts {
  sessions: PhoneSessions;
  encoders: VideoEncoders;
  clock: Clock;
}

/** Most bytes of a piece in one response. The contract has the same bound. */
const MAX_PIECE_BYTES = 1024 * 1024;

/** Unpacks the request for a recording, records, and packs the pieces of its files. */
export function recorderRoutes({
  sessions,
  encoders,
  clock,
}: RecorderRoutesParts): ServiceImpl<typeof RecorderService> {
  return {
    async *recordScreen(requests, context) {
      const { signal } = callOf(context);
      const iterator = requests[Symbol.asyncIterator]();
      const opening = await iterator.next();
      if (opening.done === true) throw new ApiError('bad_request', 'The first message is missing: it has the phone.');
      const { maxSize, fps } = opening.value;
      const phone = phoneOf(opening.value);
      const phoneSession = sessions.of(phone);
      const keep = (): void => {
        if (sessions.of(phone) !== phoneSession)
          throw new ApiError('unavailable', 'The phone was started anew, so that its recording ended.');
      };
      const stop = new AbortController();
      void stopAtEnd(iterator, stop);
      phoneSession.metrics.viewer(1);
      try {
        const form = { maxSize: maxSize ?? Infinity, fps };
        for await (const { pieces, ...facts } of recordScreen({
          ...{ clock, secrets: phoneSession.secrets, keep, stop: stop.signal, signal },
          open: (onNews) => openVideo(phoneSession, encoders, form, onNews),
          awayMs: phoneSession.limits.awayMs,
        })) {
          for (const some of inMessages(pieces)) yield { pieces: some, ...facts };
        }
      } finally {
        phoneSession.metrics.viewer(-1);
      }
    },
  };
}

/** Aborts `stop` when the requests end. Never rejects. */
async function stopAtEnd(requests: AsyncIterator<RecordScreenRequest>, stop: AbortController): Promise<void> {
  try {
    while ((await requests.next()).done !== true);
    stop.abort();
  } catch {
    // Requests that are broken off are no orderly end. The signal of the call ends the recording.
  }
}

function phoneOf({ phone }: RecordScreenRequest): LocatedPhone {
  if (phone === undefined) throw new ApiError('bad_request', 'phone: required.');
  const { name, phoneId, generation, identity, host, port, width, height, density } = phone;
  return { name, phoneId, generation, identity, host, port, screen: { width, height, density } };
}

/** Cuts pieces into messages of at most MAX_PIECE_BYTES, in their order. */
function* inMessages(pieces: readonly FilePiece[]): Generator<FilePiece[], void, undefined> {
  let some: FilePiece[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.data.length; at += MAX_PIECE_BYTES) {
      const data = piece.data.subarray(at, at + MAX_PIECE_BYTES);
      if (bytes + data.length > MAX_PIECE_BYTES) {
        yield some;
        [some, bytes] = [[], 0];
      }
      some.push({ ...piece, offset: piece.offset + at, data });
      bytes += data.length;
    }
  }
  yield some;
}
