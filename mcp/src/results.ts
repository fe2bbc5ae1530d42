import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { CloudPhoneError, type components, type Job, JobFailedError } from '../../client/src/index.js';
import type { ToolNames } from './tool-names.js';
import type { Tool } from './tools.js';

type Observation = components['schemas']['Observation'];
type ActResult = components['schemas']['ActResult'];
type Content = CallToolResult['content'][number];

/** The text of a result that would be empty. */
export const NOTHING = 'Nothing.';

/** A warning for a failed step whose input was sent. Most of the API's messages for such steps contain it already. */
const MAY_BE_DONE = 'may have been done: observe before you repeat it';

/** Turns a response, which is text, an image or JSON, into content that models read. */
export async function resultOf(response: Response, names: ToolNames): Promise<CallToolResult> {
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  if (type.startsWith('image/'))
    return { content: [image(type, Buffer.from(await response.arrayBuffer()).toString('base64'))] };
  if (type.startsWith('text/')) return { content: [text((await response.text()) || NOTHING)] };
  const body: unknown = response.status === 204 ? {} : await response.json();
  if (hasKey(body, 'settled')) return actResult(body as unknown as ActResult, names);
  if (hasKey(body, 'observation')) return { content: observed(body.observation as Observation) };
  return { content: [text(JSON.stringify(body))] };
}

/**
 * Returns the results of steps, and the screen afterwards. A failed step makes the result an error, so that no model takes the step for
 * done. A plain success is the word `Done`.
 */
function actResult(result: ActResult, names: ToolNames): CallToolResult {
  const { settled, steps_done: done, failed, expect_met: met, screen, observation, ...others } = result;
  const { warnings = [], ...more } = others as Omit<typeof others, 'warnings'> & Partial<Pick<ActResult, 'warnings'>>;
  const facts = [
    ...(failed === undefined
      ? []
      : [
          `Step ${failed.step} (from 0) failed with ${failed.error}: ${names.in(failed.message)}` +
            (failed.sent === true && !failed.message.includes(MAY_BE_DONE)
              ? ` Its input was sent, so it ${MAY_BE_DONE}.`
              : ''),
        ]),
    [
      failed === undefined ? 'Done' : `${done} ${done === 1 ? 'step' : 'steps'} done`,
      ...(screen === 'unchanged' ? ['screen unchanged'] : []),
      ...(settled ? [] : ['the screen is not still yet']),
      ...(met || failed !== undefined ? [] : ['the expectation was not met']),
    ].join(', ') + '.',
    ...warnings.map(
      ({ package: app, reason, crash }) =>
        `The app ${app} crashed meanwhile: ${reason}${crash === undefined ? '' : ` (${crash})`}`,
    ),
    // These are results of single steps, such as the clipboard's text.
    ...Object.entries(more)
      .filter(([name]) => name !== 'waited_ms')
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
  ];
  const [lines = text(''), ...picture] = observation === undefined ? [] : observed(observation);
  const screenText = lines.type === 'text' && lines.text !== '' ? [lines.text] : [];
  return {
    content: [text([...facts, ...screenText].join('\n')), ...picture],
    ...(failed !== undefined && { isError: true }),
  };
}

/**
 * Returns the app and the elements as text, one line each, and then the picture if there is one. A list of changes does not name the app
 * and its activity, which are the same as before. The screen's size is added when there is a picture, which may have another size, and
 * when the screen is turned.
 */
function observed(observation: Observation): Content[] {
  const {
    app = '',
    activity = '',
    screen,
    warnings = [],
    screenshot,
    screenshot_same_as: sameAs,
    elements_text: lines,
    changed_since: since,
    elements_age_ms: ageMs,
  } = observation;
  const { width, height, rotation } = screen;
  const head = [
    ...(since === undefined ? [app + (activity === '' ? '' : `/${activity}`)] : []),
    ...(screenshot !== undefined || rotation !== 0 ? [`${width}x${height}`] : []),
    ...(sameAs !== undefined ? ['(picture as before)'] : []),
    ...warnings.map((word) => (word === 'late_elements' ? `(elements of ${ageMs ?? 0} ms ago)` : `(${word})`)),
  ].join(' ');
  const elements = since === undefined ? allLines(observation) : changedLines(lines);
  return [
    text(head === '' ? elements : `${head}\n${elements}`),
    ...(screenshot === undefined ? [] : [image(`image/${screenshot.format}`, screenshot.data)]),
  ];
}

function allLines({ elements_text: lines, elements = [] }: Observation): string {
  // Elements are objects only where the caller requested `elements: full`.
  return (lines ?? elements.map((element) => JSON.stringify(element)).join('\n')) || 'No elements.';
}

function changedLines(lines: string | undefined): string {
  return lines === undefined || lines === '' ? 'No element changed.' : `Changed:\n${lines}`;
}

/** Returns the result of a done job, with the things that the job made. */
export function jobResult(job: Job, accepted: Record<string, unknown>): CallToolResult {
  const made = Object.entries(accepted)
    .filter(([name]) => name !== 'job')
    .map(([name, value]) => `${name} ${nameOf(value)}`);
  const head = `${job.kind} of ${job.device}: ${job.state}.`;
  const result = job.result === undefined ? [] : [`result: ${JSON.stringify(job.result)}`];
  return { content: [text([head, ...made, ...result].join('\n'))] };
}

/** Returns the result of a call whose job is still running. */
export function stillRunning(job: Job): CallToolResult {
  const more = `Wait for it with get_job, id "${job.id}".`;
  return { content: [text(`${job.kind} of ${job.device} is still running, ${job.progress} % done. ${more}`)] };
}

/** Returns words, and the screen below them. */
export function observationResult(words: string, observation: Observation): CallToolResult {
  return { content: [text(words), ...observed(observation)] };
}

/** Returns a text as a result. */
export function textResult(words: string): CallToolResult {
  return { content: [text(words)] };
}

/** Returns an error as a result. When the arguments may be wrong, an example of good ones follows. */
export function errorResult(error: Error, names: ToolNames, tool: Tool): CallToolResult {
  const isOfArguments = !(error instanceof CloudPhoneError) || error.kind === 'bad_request';
  const words = errorText(error, names);
  const warning = hasUnknownEffect(error) && !words.includes(MAY_BE_DONE) ? doubtText(tool) : '';
  return { content: [text(words + warning + (isOfArguments ? ` Example: ${tool.example}` : ''))], isError: true };
}

/** Returns a warning for a call that failed without a word on whether it was done. Empty for a tool that changes nothing. */
export function doubtText({ operation: { isRead, operationId } }: Pick<Tool, 'operation'>): string {
  if (isRead) return '';
  // A list or a job shows what the other tools change.
  return operationId === 'act'
    ? ` It ${MAY_BE_DONE}.`
    : ' It may have been done: see whether it was before you repeat it.';
}

/** Whether the service may have done what was requested. A job that failed has a reason that is known. */
function hasUnknownEffect(error: Error): boolean {
  if (!(error instanceof CloudPhoneError) || error instanceof JobFailedError) return false;
  const { kind, status } = error;
  return ['unreachable', 'timeout', 'internal'].includes(kind) || (kind === 'unexpected' && status >= 500);
}

/** Returns the text of an error, in the words of the tools. */
export function errorText(error: Error, names: ToolNames): string {
  if (!(error instanceof CloudPhoneError)) return error.message;
  const { kind, message, status, requestId } = error;
  // With the request's id, the operator can find the cause of a server error in the log.
  const tail = status >= 500 && requestId !== undefined ? ` (request ${requestId})` : '';
  return `${kind}: ${names.in(message)}${tail}`;
}

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { name, id } = value as { name?: unknown; id?: unknown };
  return JSON.stringify(name === undefined ? id : name);
}

function hasKey<K extends string>(value: unknown, key: K): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && key in value;
}

function text(value: string): Content & { type: 'text' } {
  return { type: 'text', text: value };
}

function image(mimeType: string, data: string): Content {
  return { type: 'image', data, mimeType };
}
