import { create, type DescMethodClientStreaming, type Message } from '@bufbuild/protobuf';
import type { StreamRequest } from '@connectrpc/connect';
import type { Call } from '../kit/call/call.js';
import { rpcOptions } from '../kit/rpc/call-crossing.js';
import { fieldsOf } from '../kit/json/encode.js';
import type { Route } from './routes/route.js';

/**
 * Makes a client-streaming rpc for a request whose body is passed on as it comes. The first message has the fields of path, query and
 * headers. Each further message has a piece of the body, in the field that the HTTP rule's body names.
 */
export async function streamRequest(
  route: Route,
  call: Call,
  first: Message,
  chunks: AsyncGenerator<Uint8Array>,
): Promise<Message> {
  const { transport, binding } = route;
  const rpc = route.rpc as DescMethodClientStreaming;
  const bodyField = rpc.input.fields.find(({ name }) => name === binding.body)?.localName;
  if (bodyField === undefined) throw new Error(`${rpc.toString()}: its HTTP rule names no field for the body`);
  const messages = async function* (): StreamRequest['message'] {
    yield first;
    for await (const chunk of chunks) {
      const message = create(rpc.input);
      fieldsOf(message)[bodyField] = chunk;
      yield message;
    }
  };
  try {
    const { signal, timeoutMs, contextValues } = rpcOptions(call);
    const { message } = await transport.stream(rpc, signal, timeoutMs, undefined, messages(), contextValues);
    let response: Message | undefined;
    // The stream is read to its end although it has only one message, as Connect keeps the timers of a stream until then.
    for await (const only of message) response = only;
    if (response === undefined) throw new Error(`${rpc.toString()} ended without a response`);
    return response;
  } finally {
    // The service may have ended the rpc before the whole body had come.
    await chunks.return(undefined);
  }
}
