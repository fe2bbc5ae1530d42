import { create, type DescMethod, type Message, ScalarType } from '@bufbuild/protobuf';
import { fieldsOf } from '../../kit/json/encode.js';
import { type SocketClose, SocketCloseSchema } from '../../proto/gen/cloudphone/api/v1/route_pb.js';

/** The form of a stream of bytes on a WebSocket. */
export interface BytesForm {
  readonly kind: 'bytes';
  /** Returns a message of the rpc with a piece of the client's bytes. */
  read(piece: Uint8Array): Message;
  /** Returns what a message of the rpc has: a piece of bytes for the client, or the end of the WebSocket. */
  write(message: Message): Uint8Array | SocketClose;
}

/** Returns the form of a route whose trait `bytes_field` is `name`. Throws for an rpc without such a form. */
export function bytesFormOf(rpc: DescMethod, name: string): BytesForm {
  const fault = (reason: string): Error => new Error(`${rpc.toString()}: ${reason}`);
  if (rpc.methodKind !== 'bidi_streaming') throw fault('has a bytes_field and does not stream both ways');
  const { input, output } = rpc;
  const field = input.fields.find((candidate) => candidate.name === name);
  if (field?.scalar !== ScalarType.BYTES) throw fault(`bytes_field ${name} is not a bytes field of the request`);
  const [oneof, ...more] = output.oneofs;
  const [piece, close] = oneof?.fields ?? [];
  if (oneof === undefined || more.length > 0 || oneof.fields.length !== 2 || output.fields.length !== 2)
    throw fault('its response must be one oneof of two fields');
  if (piece?.name !== name || piece.scalar !== ScalarType.BYTES)
    throw fault(`bytes_field ${name} is not the first field of the response, with bytes`);
  if (close?.message?.typeName !== SocketCloseSchema.typeName)
    throw fault('the second field of its response is not a SocketClose');
  return {
    kind: 'bytes',
    read: (bytes) => {
      const message = create(input);
      fieldsOf(message)[field.localName] = bytes;
      return message;
    },
    write: (message) => {
      const chosen = fieldsOf(message)[oneof.localName] as { value?: Uint8Array | SocketClose };
      if (chosen.value === undefined) throw new Error(`${output.typeName} has nothing in it`);
      return chosen.value;
    },
  };
}
