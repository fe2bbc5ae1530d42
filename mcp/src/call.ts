import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type CloudPhone, CloudPhoneError, type Job, JobFailedError } from '../../client/src/index.js';
import { BadCall, requestOf } from './request.js';
import { errorResult, jobResult, resultOf, stillRunning } from './results.js';
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
 * Longest wait for a job, ms. Many hosts give up on a call after 60 s; a job that takes longer is left running, and the result names
 * the tool to wait with.
 */
const JOB_WAIT_MS = 50_000;

/** Time between two requests for a job whose progress is reported, seconds. */
const PROGRESS_WAIT_S = 3;

/** Operations whose responses models read as text. */
const AS_TEXT: readonly string[] = ['getLogs', 'listTimeline'];

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
    return response.status === 202
      ? await waitFor((await response.json()) as Accepted, context)
      : await resultOf(response, context.names);
  } catch (error) {
    if (error instanceof CloudPhoneError || error instanceof BadCall) return errorResult(error, context.names);
    throw error;
  }
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
    const isTimeUp = error instanceof CloudPhoneError && error.kind === 'timeout' && !(error instanceof JobFailedError);
    if (isTimeUp) return stillRunning(last);
    throw error;
  }
}
