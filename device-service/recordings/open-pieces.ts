import type { MessageInitShape } from '@bufbuild/protobuf';
import { ApiError } from '../../kit/errors/api-error.js';
import type { RecordScreenRequestSchema } from '../../proto/gen/cloudphone/screen/v1/recorder_service_pb.js';
import type { PieceStream } from './recorder.js';
import type { RecordingsContext } from './recordings-context.js';

/** A screen service of an earlier release, as in the middle of an upgrade, does not know the rpc. */
function known(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.kind !== 'unsupported_media_type') return error;
  const message = 'The screen service is of an earlier release, which does not record. Try again after its upgrade.';
  return new ApiError('unavailable', message, { cause: error });
}

/** Calls the screen service for a recording. Its requests are the first one, and their end when the recording is to end. */
export function openPieces(
  { recorder }: Pick<RecordingsContext, 'recorder'>,
  request: MessageInitShape<typeof RecordScreenRequestSchema>,
): PieceStream {
  if (recorder === undefined) throw new ApiError('unavailable', 'There is no screen service that records.');
  const abort = new AbortController();
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const requests = async function* (): AsyncGenerator<typeof request, void, undefined> {
    yield request;
    await finished;
  };
  const responses = recorder.recordScreen(requests(), { signal: abort.signal })[Symbol.asyncIterator]();
  return {
    responses: {
      next: async () => {
        try {
          return await responses.next();
        } catch (error) {
          // The reason of an abort stands for the library's own error about it.
          throw abort.signal.aborted ? abort.signal.reason : known(error);
        }
      },
    },
    finish,
    abort: (reason) => {
      finish();
      abort.abort(reason);
    },
  };
}
