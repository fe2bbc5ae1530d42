import type { MessageInitShape } from '@bufbuild/protobuf';
import type { WatchScreenRequestSchema, WatchScreenResponse } from '../../proto/gen/cloudphone/screen/v1/live_pb.js';
import { AS_KEY, type ScreenWorld } from './screen-world.js';

export type WatchRequest = MessageInitShape<typeof WatchScreenRequestSchema>;
type Message = WatchScreenResponse['message'];

/** A stream of a live screen: messages are read one by one, requests are sent by the function. */
export function watchStream({ client }: ScreenWorld, first: WatchRequest) {
  const ended = new AbortController();
  const waiting: WatchRequest[] = [first];
  let wake: () => void = () => undefined;
  const requests = async function* (): AsyncGenerator<WatchRequest> {
    while (!ended.signal.aborted) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const responses = client.watchScreen(requests(), { ...AS_KEY, signal: ended.signal })[Symbol.asyncIterator]();
  return {
    send: (request: WatchRequest): void => {
      waiting.push(request);
      wake();
    },
    /** The next message of the kind. */
    next: async <K extends Message['case']>(kind: K): Promise<Extract<Message, { case: K }>> => {
      for (;;) {
        const result = await responses.next();
        if (result.done === true) throw new Error('the stream has ended');
        const { message } = result.value;
        if (message.case === kind) return message as Extract<Message, { case: K }>;
      }
    },
    /** Why it ended; undefined when it ended well. */
    end: async (): Promise<unknown> => {
      try {
        while ((await responses.next()).done !== true);
        return undefined;
      } catch (error) {
        return error;
      }
    },
    /** Ends it. */
    leave: (): void => ended.abort(),
  };
}
