import { type Client, createClient, type HandlerContext, type Transport } from '@connectrpc/connect';
import type { Clock } from '../../kit/async/clock.js';
import { Cancellation } from '../../kit/async/within.js';
import { withinCall } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { rpcOptions } from '../../kit/rpc/call-crossing.js';
import { untilRefused } from '../../kit/rpc/while-allowed.js';
import { callOf } from '../../kit/rpc/context.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import {
  type ConnectAdbRequest,
  type ConnectAdbResponse,
  RelayService,
} from '../../proto/gen/cloudphone/relay/v1/relay_service_pb.js';
import type { CloseReason } from '../connection/session.js';
import { TunnelStream } from '../connection/tunnel-stream.js';
import type { RelayLimits } from '../limits.js';
import { FORWARDED_HEADER } from '../../kit/rpc/audit-calls.js';
import { relayIsChanging, type Relays } from '../relays/relays.js';

/** Time limit for the device service before a connection, ms. */
const LOCATE_MS = 10_000;

/** Time limit for the device service at the end of a connection, ms. The client is to know within a second that it has ended. */
const ASK_MS = 500;

interface ConnectAdbParts {
  clock: Clock;
  devices: Client<typeof PhoneService>;
  relays: Relays;
  /** Returns the way to another relay service. */
  reach: (rpcUrl: string) => Transport;
  limits: RelayLimits;
}

/** A member of the responses, as protobuf-es takes it. */
type Member = { case: 'data'; value: Uint8Array } | { case: 'close'; value: { code: number; reason: string } };

/**
 * Serves one client's adb through the API. The first request names the device, each later one is a piece of ADB's bytes. The relay service
 * that listens for the relay counts its sessions, so it gets the stream where that is another one.
 */
export async function* connectAdb(
  requests: AsyncIterable<ConnectAdbRequest>,
  { requestHeader, values }: Pick<HandlerContext, 'requestHeader' | 'values'>,
  { clock, devices, relays, reach, limits }: ConnectAdbParts,
): AsyncGenerator<ConnectAdbResponse | { message: Member }, void, undefined> {
  const call = callOf({ values });
  const iterator = requests[Symbol.asyncIterator]();
  const opening = await iterator.next();
  if (opening.done === true) throw new ApiError('bad_request', 'The first message is missing: it names the device.');
  const { name, data } = opening.value;
  if (data !== undefined) throw new ApiError('bad_request', 'data: the first message has none.');
  const needed = { name, scope: Scope.CONTROL };
  const { phoneId, keyId } = await withinCall(call, { clock, timeoutMs: LOCATE_MS }, (own) =>
    devices.locatePhone(needed, rpcOptions(own)),
  );
  const session: { end: CloseReason } = { end: 'client left' };
  const stream = new TunnelStream(piecesOf(iterator), limits.bufferBytes);
  const identify = async (timeoutMs: number): Promise<void> => {
    const found = await withinCall(call, { clock, timeoutMs }, (own) => devices.identifyPhone(needed, rpcOptions(own)));
    // The session of a person may be in another account now, where a device has the same name.
    if (found.phoneId !== phoneId) throw new ApiError('not_found', `The device "${name}" is gone.`);
  };
  const over = new Cancellation([call.signal]);
  const leave = (): void => void stream.destroy();
  call.signal.addEventListener('abort', leave);
  try {
    const connected = await relays.connect(
      { phoneId, device: name },
      { stream, address: call.clientAddress, keyId, onClosed: (reason) => (session.end = reason) },
    );
    if (typeof connected === 'string') {
      if (requestHeader.has(FORWARDED_HEADER)) throw relayIsChanging(name);
      const there = createClient(RelayService, reach(connected));
      const headers = { [FORWARDED_HEADER]: 'yes' };
      yield* there.connectAdb(withFirst(opening.value, iterator), { ...rpcOptions(call), headers });
      return;
    }
    // The check of keys by their ids (RelayUpkeep) does not know from which address a client comes, nor what an identity provider says.
    void untilRefused(() => identify(LOCATE_MS), clock, over.signal).then((refusal) => {
      if (refusal !== undefined) connected.close('key revoked');
    });
    yield { message: { case: 'data', value: new Uint8Array() } };
    for await (const piece of stream.output()) yield { message: { case: 'data', value: piece } };
    if (call.signal.aborted) return;
    // A message of the client that cannot be taken ends the stream. The client is notified of what was wrong.
    if (stream.errored !== null) throw stream.errored;
    if (session.end === 'client left') return;
    if (ASKED.includes(session.end)) {
      // Where the device is gone, or the caller may not control it any more or for now, the client is notified of that. Any other failure is
      // none.
      await identify(ASK_MS).catch((error: unknown) => {
        if (error instanceof ApiError && REFUSALS.includes(error.kind)) throw error;
      });
    }
    const [code, reason] = CLOSES[session.end];
    yield { message: { case: 'close', value: { code, reason } } };
  } finally {
    over.abort();
    call.signal.removeEventListener('abort', leave);
    stream.destroy();
  }
}

/** Ends that may be due to the end of the device, or of the caller's permission. */
const ASKED: readonly CloseReason[] = ['key revoked', 'no longer allowed', 'phone left', 'phone stopped', 'turned off'];

const REFUSALS: readonly string[] = ['unauthorized', 'forbidden', 'not_found', 'busy'];

async function* withFirst(
  first: ConnectAdbRequest,
  iterator: AsyncIterator<ConnectAdbRequest>,
): AsyncGenerator<ConnectAdbRequest, void, undefined> {
  yield first;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
}

async function* piecesOf(iterator: AsyncIterator<ConnectAdbRequest>): AsyncGenerator<Uint8Array, void, undefined> {
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    if (next.value.data !== undefined) yield next.value.data;
  }
}

const OFF = 'forbidden: The ADB relay was turned off, or enabled anew. Enable it with "tunnel", then connect again.';
const PHONE_GONE = 'busy: The phone stopped, or cannot be reached. Check that the device runs, then connect again.';
const HANDED_OVER = 'busy: A person has the phone. Connect again once it is given back.';
const NO_GREETING = 'timeout: No greeting of adb came within 10 s.';

/** How the WebSocket is closed, by the end of the session; see the comment on the rpc. A reason has at most 123 bytes. */
const CLOSES: Record<CloseReason, [code: number, reason: string]> = {
  'client left': [1000, ''],
  'phone left': [4409, PHONE_GONE],
  'phone not reachable': [4409, PHONE_GONE],
  'phone stopped': [4409, PHONE_GONE],
  'other phone': [4409, PHONE_GONE],
  'handed over': [4409, HANDED_OVER],
  'broken packet': [4400, "bad_request: The client sent bytes that are not ADB's."],
  'no greeting': [4408, NO_GREETING],
  'no login': [4408, NO_GREETING],
  'wrong codes': [4403, OFF],
  refusals: [4403, OFF],
  idle: [4408, 'timeout: Nothing was sent for 30 minutes. Connect again.'],
  stalled: [1013, 'unavailable: One side took nothing for a minute. Connect again.'],
  expired: [4403, OFF],
  'turned off': [4403, OFF],
  'no longer allowed': [4403, OFF],
  'key revoked': [1008, 'unauthorized: The key was revoked, or may not control the device any more.'],
  shutdown: [1001, 'The service is stopping. Connect again.'],
  error: [1013, 'unavailable: The relay is away for now. Connect again.'],
};
