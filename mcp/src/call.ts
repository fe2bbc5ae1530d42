import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { awaitPerson } from './ask-person.js';
import { type CloudPhone, CloudPhoneError, type components, type Job, JobFailedError } from '../../client/src/index.js';
import { BadCall, requestOf } from './request.js';
import { errorResult, jobResult, NOTHING, resultOf, stillRunning, textResult } from './results.js';
import type { ToolNames } from './tool-names.js';
import type { Tool } from './tools.js';

/** The parts of a call beside its arguments. */
export interface CallContext {
  phone: CloudPhone;
  names: ToolNames;
  defaultDevice: string | undefined;
  /** Makes an Idempotency-Key. */
  newKey: () => string;
  signal: AbortSignal;
  /** Receives a job while it is waited for. Absent: progress is not reported. */
  onProgress: ((job: Job) => void) | undefined;
}

/**
 * Longest wait for a job, ms. Many hosts give up on a call after 60 s. A job that takes longer is left running, and the result names the
 * tool to wait with.
 */
const JOB_WAIT_MS = 50_000;

/** Time between two requests for a job whose progress is reported, seconds. */
const PROGRESS_WAIT_S = 3;

/** The errors after which a job is no longer waited for, although it goes on. */
const ENDS_WAIT: ReadonlySet<CloudPhoneError['kind']> = new Set([
  'timeout',
  'rate_limited',
  'unreachable',
  'unavailable',
]);

/** Operations whose responses are requested as plain text for the model. */
const AS_TEXT: readonly string[] = ['getLogs', 'listTimeline'];

/** Operations whose result is what a person did, which is waited for. */
const OF_PEOPLE: readonly string[] = ['createHandover', 'getHandover'];

interface Handed {
  handover: components['schemas']['Handover'];
}

/** Performs a call. Errors become results that the model reads; throws only when the call was cancelled. */
export async function callTool(
  tool: Tool,
  args: Record<string, unknown>,
  context: CallContext,
): Promise<CallToolResult> {
  const { phone, signal } = context;
  try {
    const { path, body, headers } = requestOf(tool, args, context);
    const accept = AS_TEXT.includes(tool.operation.operationId) ? { accept: 'text/plain' } : {};
    const init = { headers: { ...headers, ...accept }, signal, ...(body !== undefined && { body }) };
    const response = await phone.request(tool.operation.method, path, init);
    if (response.status === 202) return await waitFor((await response.json()) as Accepted, context);
    if (OF_PEOPLE.includes(tool.operation.operationId))
      return await awaitPerson(((await response.json()) as Handed).handover, context);
    const result = await resultOf(response, context.names);
    return tool.operation.operationId === 'listTimeline' && isEmpty(result) ? await noEntries(path, context) : result;
  } catch (error) {
    if (error instanceof CloudPhoneError || error instanceof BadCall) return errorResult(error, context.names, tool);
    throw error;
  }
}

function isEmpty({ content }: CallToolResult): boolean {
  return content.every((part) => part.type === 'text' && part.text === NOTHING);
}

/** Returns the result for a timeline without entries, which may be off. `path` is the path of the timeline. */
async function noEntries(path: string, { phone, signal }: CallContext): Promise<CallToolResult> {
  const name = decodeURIComponent(/^\/v1\/devices\/([^/]+)/.exec(path)?.[1] ?? '');
  const { device } = await phone.get('/v1/devices/{name}', { params: { path: { name } }, signal });
  return textResult(
    device.timeline
      ? 'No such entries.'
      : `The timeline of ${name} is off, so nothing is kept. Whoever runs the phone can switch it on, in the panel or by the API.`,
  );
}

interface Accepted extends Record<string, unknown> {
  job: Job;
}

async function waitFor(accepted: Accepted, { phone, signal, onProgress }: CallContext): Promise<CallToolResult> {
  let last = accepted.job;
  const note = (job: Job): void => {
    last = job;
    onProgress?.(job);
  };
  note(last);
  const pace = onProgress === undefined ? {} : { requestWaitS: PROGRESS_WAIT_S };
  try {
    const job = await phone.waitForJob(accepted.job, { timeoutMs: JOB_WAIT_MS, signal, onProgress: note, ...pace });
    return jobResult(job, accepted);
  } catch (error) {
    // The job goes on, also where the key has used up its requests or the service is away: the model has to know its id.
    const goesOn = error instanceof CloudPhoneError && !(error instanceof JobFailedError) && ENDS_WAIT.has(error.kind);
    if (goesOn) return stillRunning(last);
    throw error;
  }
}
