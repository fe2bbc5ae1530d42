import { create, type DescField, type DescMethod, type Message, ScalarType } from '@bufbuild/protobuf';
import { ApiError } from '../../kit/errors/api-error.js';
import { fieldsOf } from '../../kit/json/encode.js';
import { assertValid } from '../../kit/call/validation.js';
import {
  type Route as Traits,
  type SocketFrame,
  SocketFrameSchema,
} from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { parseJson } from '../json/parse.js';
import { kindOf } from '../json/value.js';
import type { Codec } from './codec.js';

/** The form that the messages of a stream have on a WebSocket. */
export interface SocketForm {
  readonly kind: 'messages';
  /** Reads a text message of the client as a message of the rpc. Throws bad_request. */
  read(text: string): Message;
  /** Returns the message by which the service is notified that the client is silent; undefined where the route has none. */
  silence(): Message | undefined;
  /** Returns the client's form of a message of the rpc: a frame to be sent in binary, or JSON text. */
  write(message: Message): SocketFrame | string;
}

/** Returns the form of a route whose trait `socket_field` is `socketField`. Throws for an rpc without such a form. */
export function socketFormOf(
  rpc: DescMethod,
  { socketField: name, silenceField }: Pick<Traits, 'socketField' | 'silenceField'>,
  codec: Codec,
): SocketForm {
  const fault = (reason: string): Error => new Error(`${rpc.toString()}: ${reason}`);
  if (rpc.methodKind !== 'bidi_streaming') throw fault('has a socket_field and does not stream both ways');
  const { input, output } = rpc;
  if (input.fields.every((field) => field.name !== name))
    throw fault(`socket_field ${name} is not a field of the request`);
  const silent = input.fields.find((field) => field.name === silenceField);
  if (silenceField !== '' && silent?.scalar !== ScalarType.BOOL)
    throw fault(`silence_field ${silenceField} is not a bool field of the request`);
  const others = new Set(input.fields.map((field) => field.name).filter((other) => other !== name));
  const decode = codec.decoders.decoderFor(input, others);
  const [oneof, ...more] = output.oneofs;
  if (oneof === undefined || more.length > 0 || output.fields.some((field) => field.oneof !== oneof)) {
    throw fault('its response must be one oneof');
  }
  const writers = new Map(oneof.fields.map((field) => [field.localName, memberWriter(field, codec)]));
  return {
    kind: 'messages',
    read: (text) => {
      const value = parseJson(text);
      if (!(value instanceof Map)) {
        throw new ApiError('bad_request', `A message must be a JSON object, not ${kindOf(value)}.`);
      }
      const message = create(input);
      decode(value, message, '');
      assertValid(input, message);
      return message;
    },
    silence: () => {
      if (silent === undefined) return undefined;
      const message = create(input);
      fieldsOf(message)[silent.localName] = true;
      return message;
    },
    write: (message) => {
      const chosen = fieldsOf(message)[oneof.localName] as { case?: string; value?: Message };
      const write = writers.get(chosen.case ?? '');
      if (write === undefined || chosen.value === undefined) throw new Error(`${output.typeName} has nothing in it`);
      return write(chosen.value);
    },
  };
}

function memberWriter({ name, message }: DescField, codec: Codec): (value: Message) => SocketFrame | string {
  if (message === undefined) throw new Error(`${name}: the output of a WebSocket must be a message`);
  if (message.typeName === SocketFrameSchema.typeName) return (value) => value as SocketFrame;
  const encode = codec.encoderFor(message);
  const begin = `{"type":${JSON.stringify(name)}`;
  return (value) => {
    const rest = encode(value).slice(1);
    return rest === '}' ? `${begin}}` : `${begin},${rest}`;
  };
}
