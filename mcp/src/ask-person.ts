import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type CloudPhone, CloudPhoneError, type components } from '../../client/src/index.js';
import { errorText, observationResult, textResult } from './results.js';
import type { ToolNames } from './tool-names.js';

type Handover = components['schemas']['Handover'];

/** Longest wait for a person in one call, s. Many hosts give up on a call after 60 s. */
const WAIT_S = 50;

/** Longest wait of the call that asks, s. It has the link, which the user is to get soon. */
const FIRST_WAIT_S = 10;

const OUTCOMES: Record<string, string> = {
  done: 'The person gave the phone back. Check on the screen that it is done',
  expired: 'Nobody gave the phone back in time. It is yours again',
  cancelled: 'The request was cancelled. The phone is yours again',
};

/**
 * Waits until a person has given the phone back, and returns the note and the screen. A person takes minutes, so the result may be that the
 * wait goes on. It names the tool to wait with then, and the first one has the link for the person. A failure after the phone was handed
 * over is never the whole result: it would lose the link, which is in one response only, or the note.
 */
export async function awaitPerson(
  begun: Handover,
  { phone, names, signal }: { phone: CloudPhone; names: ToolNames; signal: AbortSignal },
): Promise<CallToolResult> {
  const { device: name, id, url } = begun;
  const query = { wait_s: url === undefined ? WAIT_S : FIRST_WAIT_S };
  const read = () => phone.get('/v1/devices/{name}/handovers/{id}', { params: { path: { name, id }, query }, signal });
  const waited = await unlessItFails(read()).catch(async (error: unknown) => {
    // The host cancelled the call that asks, so nobody waits for the person. If that fails too, the hand-over ends by its time.
    if (url !== undefined)
      await unlessItFails(phone.delete('/v1/devices/{name}/handovers/{id}', { params: { path: { name, id } } }));
    throw error;
  });
  if ('failure' in waited) {
    if (url === undefined) throw waited.failure;
    return textResult(`${stillAway(begun, url)} The wait failed: ${errorText(waited.failure, names)}`);
  }
  const { handover } = waited;
  if (isOpen(handover)) return textResult(stillAway(handover, url));
  const note = handover.result?.note;
  const words = `${OUTCOMES[handover.state] ?? handover.state}.${note === undefined ? '' : ` Their note: ${JSON.stringify(note)}`}`;
  const asText = { elements: 'compact', screenshot: 'none' } as const;
  const seen = await unlessItFails(
    phone.get('/v1/devices/{name}/observe', { params: { path: { name }, query: asText }, signal }),
  );
  if ('failure' in seen)
    return textResult(`${words} The screen could not be observed: ${errorText(seen.failure, names)}`);
  return observationResult(words, seen.observation);
}

/** Returns the result of a request, or its failure. Throws only when the call was cancelled. */
async function unlessItFails<T>(request: Promise<T>): Promise<T | { failure: CloudPhoneError }> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof CloudPhoneError) return { failure: error };
    throw error;
  }
}

function isOpen({ state }: Handover): boolean {
  return state === 'waiting' || state === 'taken';
}

function stillAway({ id, state, expires_at: until }: Handover, url: string | undefined): string {
  const who =
    state === 'taken' ? 'A person has the phone now.' : 'Nobody has taken the phone yet. The panel shows the request.';
  const link = url === undefined ? '' : ` Give the user this link, which opens the phone: ${url}`;
  return `${who}${link} Wait on with wait_for_person, id "${id}", at the latest until ${until}.`;
}
