import { ConnectError, type Interceptor, type StreamRequest, type StreamResponse } from '@connectrpc/connect';
import { begunAhead } from '../async/begun-ahead.js';
import type { Call } from '../call/call.js';
import { ClientGone } from '../call/call.js';
import { ApiError, kindOfCode } from '../errors/api-error.js';
import { databaseUnavailable } from '../errors/database-unavailable.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { type AuditedCall, auditedCall, isAudited } from './audited-call.js';
import { callOf } from './context.js';
import type { IsOurs } from './mesh.js';

/**
 * Marks a call that another relay service passes on. It is passed on no further, and its entry is made by the one that the caller called.
 */
export const FORWARDED_HEADER = 'x-relay-forwarded';

/** Where the entries of the audit log go. */
export interface Auditor {
  /** Throws unavailable when no entry can be written now. It is called before the call changes anything. Absent: that is not known. */
  assertWritable?: (call: Call) => Promise<void>;
  /**
   * Returns the caller of a call that begins; undefined where its credential is wrong. The credential may have ended by the end of the call.
   * Absent: the call has its caller by then.
   */
  identify?: (call: Call) => Promise<Caller | undefined>;
  /** Writes the entry of a call whose handler has ended. `caller` is what `identify` returned. Throws unavailable when it was not written. */
  record: (call: Call, audited: AuditedCall, caller?: Caller) => Promise<void>;
}

/**
 * Server side: writes one entry of the audit log for each call that needs control or more. It is written before the answer, so that a caller
 * who has an answer is in the log. A stream has its entry when it opens. When the entry cannot be written, the answer is that error, and
 * the change stands.
 */
export function auditCalls({ record, identify }: Auditor, isOurs: IsOurs): Interceptor {
  return (next) => async (request) => {
    const { method } = request;
    const isForwarded = request.header.has(FORWARDED_HEADER) && isOurs(request.header);
    if (isForwarded || !isAudited(method)) return next(request);
    const call = callOf({ values: request.contextValues });
    if (request.stream) {
      return openAudited(next as (request: StreamRequest) => Promise<StreamResponse>, request, (first, error) =>
        record(call, auditedCall(method, { request: first, outcome: outcomeOf(error) })),
      );
    }
    const { message } = request;
    // It goes on beside the call, which it does not delay.
    const caller = begunAhead(identify?.(call) ?? Promise.resolve(undefined));
    try {
      const response = await next(request);
      const made = response.stream ? undefined : response.message;
      const audited = auditedCall(method, { request: message, response: made, outcome: 'ok' });
      await record(call, audited, await caller).catch(afterChange);
      return response;
    } catch (error) {
      if (error instanceof NotRecorded) throw error.cause;
      await record(call, auditedCall(method, { request: message, outcome: outcomeOf(error) }), await caller);
      throw error;
    }
  };
}

/** Server side, inside the check of the caller: refuses calls that change something while no entry can be written. */
export function requireAudit({ assertWritable }: Auditor): Interceptor {
  return (next) => async (request) => {
    if (assertWritable !== undefined && isAudited(request.method)) {
      await assertWritable(callOf({ values: request.contextValues }));
    }
    return next(request);
  };
}

/** The change was made, and its entry was not written. */
class NotRecorded extends Error {
  override name = 'NotRecorded';
}

function afterChange(cause: unknown): never {
  throw new NotRecorded('the entry of a change was not written', { cause });
}

type RecordStream = (first: object | undefined, error: unknown) => Promise<void>;

/** Passes a stream on, and records it before its first message comes back, or at its end when none does. */
async function openAudited(
  next: (request: StreamRequest) => Promise<StreamResponse>,
  request: StreamRequest,
  record: RecordStream,
): Promise<StreamResponse> {
  let first: object | undefined;
  async function* seen(): AsyncIterable<object> {
    for await (const message of request.message) {
      first ??= message;
      yield message;
    }
  }
  let response: StreamResponse;
  try {
    response = await next({ ...request, message: seen() } as StreamRequest);
  } catch (error) {
    await record(first, error);
    throw error;
  }
  async function* recorded(): AsyncIterable<object> {
    let isOpen = false;
    try {
      for await (const message of response.message) {
        if (!isOpen) {
          isOpen = true;
          await record(first, undefined);
        }
        yield message;
      }
      if (!isOpen) {
        isOpen = true;
        await record(first, undefined);
      }
    } catch (error) {
      if (!isOpen) await record(first, error);
      throw error;
    }
  }
  return { ...response, message: recorded() } as StreamResponse;
}

/** Returns the word of the audit log for how a call ended: `ok`, or the kind of its error. Undefined: it did not fail. */
export function outcomeOf(error: unknown): string {
  if (error === undefined) return 'ok';
  const known = databaseUnavailable(error) ?? error;
  if (known instanceof ApiError) return known.kind;
  if (known instanceof ClientGone) return 'cancelled';
  if (known instanceof ConnectError) return kindOfCode(known.code) ?? 'cancelled';
  return 'internal';
}
