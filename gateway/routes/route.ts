import {
  type DescMessage,
  type DescMethodBiDiStreaming,
  type DescMethodClientStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  getOption,
  hasOption,
  type Message,
  type MessageShape,
  ScalarType,
} from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { routeOf } from '../../kit/rpc/mesh.js';
import {
  type Download,
  DownloadSchema,
  type RawBody,
  RawBodySchema,
  type LoginCookie,
  LoginCookieSchema,
  type Redirect,
  RedirectSchema,
  type Route as Traits,
  MemberRole,
  Scope,
  type ServerSentEvent,
  ServerSentEventSchema,
  type SessionCookie,
  SessionCookieSchema,
} from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { http } from '../../proto/gen/google/api/annotations_pb.js';
import type { BodyForm } from '../http/read-body.js';
import { createJsonEncoders, fieldsOf, type JsonEncoder } from '../../kit/json/encode.js';
import { createJsonDecoders } from '../json/decode.js';
import type { Codec } from './codec.js';
import { type Binding, bindingsOf, type HttpMethod } from './http-rule.js';
import { createRequestReader, type ReadRequest } from './request-reader.js';
import { type BytesForm, bytesFormOf } from './bytes-form.js';
import { socketFormOf, type SocketForm } from './socket-form.js';
import { type CompleteUrl, urlCompleter } from './url-field.js';

/** A service's contract and the transport to the service. */
export interface Contract {
  descriptor: DescService;
  transport: Transport;
}

/**
 * A method that a REST route can call. A client-streaming method gets the body piece by piece. A server-streaming method responds with
 * server-sent events or with a file. A method that streams both ways is a WebSocket.
 */
export type RoutedMethod =
  DescMethodUnary | DescMethodClientStreaming | DescMethodServerStreaming | DescMethodBiDiStreaming;

/** One REST route, made from an rpc's descriptor. */
export interface Route {
  readonly method: HttpMethod;
  /** The path as in the proto file: /v1/devices/{name}/start. */
  readonly template: string;
  readonly binding: Binding;
  readonly rpc: RoutedMethod;
  readonly transport: Transport;
  /** The rpc's route option. */
  readonly traits: Traits;
  readonly scope: Scope;
  /** Request field with the device's name. Absent: the route is not about one device. */
  readonly deviceField: string | undefined;
  readonly successStatus: number;
  /** Whether a success changes permissions. */
  readonly changesAccess: boolean;
  /** Returns the session cookie that the response sets. */
  readonly cookieOf: (response: Message) => SessionCookie | undefined;
  /** Returns the cookie of a sign-in elsewhere that the response sets or forgets. */
  readonly loginOf: (response: Message) => LoginCookie | undefined;
  /** Returns where the response sends the browser; undefined when the route is no redirect. */
  readonly redirectOf: (response: Message) => Redirect | undefined;
  readonly bodyForm: BodyForm;
  /** Puts the origin that the customer uses in front of the path in the field that the trait `url_field` names. */
  readonly completeUrl: CompleteUrl;
  /** Builds the rpc's request from path, query, headers and body. */
  readonly readRequest: ReadRequest;
  /** Returns the response's body when it is not JSON; undefined when it is JSON. */
  readonly rawBodyOf: (response: Message) => RawBody | undefined;
  readonly encode: JsonEncoder;
  /** Returns the event in a message of the stream. Absent: the route is no stream of server-sent events. */
  readonly eventOf: ((message: Message) => ServerSentEvent | undefined) | undefined;
  /** Returns the part of a file in a message of the stream. Absent: the route sends no file as it comes. */
  readonly downloadOf: ((message: Message) => Download | undefined) | undefined;
  /** The form of the messages, or of the bytes, on a WebSocket. Absent: the route is no WebSocket. */
  readonly socket: SocketForm | BytesForm | undefined;
}

/**
 * Returns the routes of all contracts. Throws for a route that cannot be served, so that this is found at the start, and never by a
 * request.
 */
export function routesOf(contracts: readonly Contract[]): Route[] {
  const codec = { decoders: createJsonDecoders(), encoderFor: createJsonEncoders() };
  return contracts.flatMap((contract) => routesOfOne(contract, codec));
}

function routesOfOne({ descriptor, transport }: Contract, codec: Codec): Route[] {
  return descriptor.methods.flatMap((rpc) => {
    if (!hasOption(rpc, http)) return [];
    const traits = routeOf(rpc);
    const fault = (reason: string): Error => new Error(`${rpc.toString()}: ${reason}`);
    if (traits === undefined) throw fault('has an HTTP rule but no route option, so its permissions are not known');
    if (traits.scope === Scope.UNSPECIFIED) throw fault('its route option has no scope');
    if (traits.scope === Scope.PERSON && traits.role === MemberRole.UNSPECIFIED)
      throw fault('its route option has scope person and no role');
    const { eventField, downloadField } = traits;
    const streamed = [eventField, downloadField].filter((name) => name !== '');
    if (streamed.length !== (rpc.methodKind === 'server_streaming' ? 1 : 0)) {
      throw fault('a stream from the service needs one of event_field and download_field, and nothing else has one');
    }
    const { socketField, bytesField } = traits;
    const sockets = [socketField, bytesField].filter((name) => name !== '');
    if (sockets.length !== (rpc.methodKind === 'bidi_streaming' ? 1 : 0))
      throw fault('a stream both ways needs one of socket_field and bytes_field, and nothing else has one');
    const socket =
      socketField !== ''
        ? socketFormOf(rpc, traits, codec)
        : bytesField !== ''
          ? bytesFormOf(rpc, bytesField)
          : undefined;
    if (rpc.methodKind === 'client_streaming' && rpc.input.fields.every(({ scalar }) => scalar !== ScalarType.BYTES)) {
      throw fault('a request that is a stream has no field for its bytes');
    }
    const { deviceField, rawField, cookieField, changesAccess, successStatus } = traits;
    if (deviceField !== '' && rpc.input.fields.every(({ name }) => name !== deviceField)) {
      throw fault(`device_field ${deviceField} is not a field of the request`);
    }
    return bindingsOf(getOption(rpc, http)).map((binding) => ({
      method: binding.method,
      template: binding.template,
      binding,
      rpc,
      transport,
      traits,
      scope: traits.scope,
      deviceField: deviceField === '' ? undefined : deviceField,
      successStatus: successStatus === 0 ? 200 : successStatus,
      changesAccess,
      cookieOf: messageReader(rpc, 'cookie_field', cookieField, SessionCookieSchema),
      loginOf: messageReader(rpc, 'login_field', traits.loginField, LoginCookieSchema),
      redirectOf: messageReader(rpc, 'redirect_field', traits.redirectField, RedirectSchema),
      completeUrl: urlCompleter(rpc, traits.urlField),
      bodyForm: bodyFormOf(rpc, binding),
      readRequest: createRequestReader(rpc, binding, traits, codec.decoders, [
        socketField,
        traits.silenceField,
        bytesField,
      ]),
      rawBodyOf: messageReader(rpc, 'raw_field', rawField, RawBodySchema),
      encode: codec.encoderFor(rpc.output),
      eventOf: eventField === '' ? undefined : messageReader(rpc, 'event_field', eventField, ServerSentEventSchema),
      downloadOf:
        downloadField === '' ? undefined : messageReader(rpc, 'download_field', downloadField, DownloadSchema),
      socket,
    }));
  });
}

/** Returns the form of the request's body. It is raw where the HTTP rule names a field of type RawBody as the body. */
function bodyFormOf({ input, methodKind }: RoutedMethod, { body }: Binding): BodyForm {
  if (methodKind === 'client_streaming') return 'stream';
  if (body === undefined) return 'none';
  const field = input.fields.find(({ name }) => name === body);
  return field?.message?.typeName === RawBodySchema.typeName ? 'raw' : 'json';
}

/**
 * Returns a function that reads the response field that a trait names. The field must hold a message of type `schema`. When the trait is
 * empty, the function returns undefined.
 */
function messageReader<D extends DescMessage>(
  rpc: RoutedMethod,
  trait: string,
  name: string,
  schema: D,
): (response: Message) => MessageShape<D> | undefined {
  if (name === '') return () => undefined;
  const field = rpc.output.fields.find((candidate) => candidate.name === name);
  if (field?.fieldKind !== 'message' || field.message.typeName !== schema.typeName) {
    throw new Error(`${rpc.toString()}: ${trait} ${name} is not a ${schema.name} of the response`);
  }
  return (response) => fieldsOf(response)[field.localName] as MessageShape<D> | undefined;
}
