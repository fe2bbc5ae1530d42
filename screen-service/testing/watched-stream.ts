import type { MessageInitShape } from '@bufbuild/protobuf';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import type { WatchScreenRequestSchema, WatchScreenResponse } from '../../proto/gen/cloudphone/screen/v1/live_pb.js';
import { AS_KEY, type ScreenWorld } from './screen-world.js';

export type WatchRequest = MessageInitShape<typeof WatchScreenRequestSchema>;
type Message = WatchScreenResponse['message'];

/** Opens a stream of a live screen. `next` reads its messages one by one, and `send` sends further requests. */
export function watchStream({ client }: ScreenWorld, first: WatchRequest) {
  const ended = new AbortController();
  const waiting: WatchRequest[] = [first];
  const news = new WakeSignal();
  const requests = async function* (): AsyncGenerator<WatchRequest> {
    while (!ended.signal.aborted) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else await news.wait();
    }
  };
  const responses = client.watchScreen(requests(), { ...AS_KEY, signal: ended.signal })[Symbol.asyncIterator]();
  return {
    send: (request: WatchRequest): void => {
      waiting.push(request);
      news.wake();
    },
    /** Returns the next message of the kind, and skips those of other kinds. */
    next: async <K extends Message['case']>(kind: K): Promise<Extract<Message, { case: K }>> => {
      for (;;) {
        const result = await responses.next();
        if (result.done === true) throw new Error('the stream has ended');
        const { message } = result.value;
        if (message.case === kind) return message as Extract<Message, { case: K }>;
      }
    },
    /** Resolves with the error by which the stream ended; undefined when it ended well. */
    end: async (): Promise<unknown> => {
      try {
        while ((await responses.next()).done !== true);
        return undefined;
      } catch (error) {
        return error;
      }
    },
    /** Ends the stream. */
    leave: (): void => ended.abort(),
  };
}
