import { CloudPhoneError } from '../../../client/src/errors.js';
import { isPassing } from '../../../client/src/send.js';
import type { Invocation } from '../command/command.js';
import { print } from '../command/print.js';
import { Failure } from '../output/failure.js';
import { plainLine } from '../output/plain-text.js';
import { UsageError } from '../output/usage-error.js';
import { openService } from '../service/connection.js';
import type { Schemas } from '../service/types.js';

type Handover = Schemas['Handover'];

/** The bounds of the time for the person, seconds. */
const TIMEOUT_S = { min: 30, max: 3_600 };

/** Longest wait of one request, seconds. */
const WAIT_S = 60;

/** Time between two looks while the service is away, ms. */
const AWAY_LOOK_MS = 2_000;

/**
 * Hands a phone over to a person, prints the link, and waits until the phone is given back. Ctrl-C cancels the hand-over. Where the program
 * is killed, it ends by its time. Every outcome but done is a failure of the command, so that a script stops there.
 */
export async function run(invocation: Invocation): Promise<void> {
  const { words, options, terminal, signal } = invocation;
  const [name = ''] = words;
  const reason = options.text('reason');
  if (reason === undefined) throw new UsageError('handover: give --reason, which says what the person is to do.');
  const timeoutS = options.seconds('timeout', TIMEOUT_S);
  const { phone } = openService(invocation);
  const body = { reason, ...(timeoutS !== undefined && { timeout_s: timeoutS }) };
  const begun = (await phone.post('/v1/devices/{name}/handovers', { params: { path: { name } }, body, signal }))
    .handover;
  terminal.note(`cloudphone: ${name} waits for a person until ${begun.expires_at}. Ctrl-C cancels it.`);
  terminal.note(plainLine(begun.url ?? ''));
  const ended = await endOf(invocation, begun);
  const note = ended.result?.note;
  print(invocation, { handover: ended }, note === undefined ? ended.state : `${ended.state}  ${plainLine(note)}`);
  if (ended.state !== 'done') throw new Failure(`The hand-over ended as ${ended.state}.`);
}

/** Waits until a hand-over has ended. It outlasts a restart of the service, so the command waits for the service until its time is over. */
async function endOf(invocation: Invocation, begun: Handover): Promise<Handover> {
  const { signal, wait, nowMs, terminal } = invocation;
  const { device: name, id } = begun;
  const { phone } = openService(invocation);
  const params = { path: { name, id }, query: { wait_s: WAIT_S } };
  // The clock of this machine may differ from that of the service.
  const expiresMs = nowMs() + Date.parse(begun.expires_at) - Date.parse(begun.begun_at);
  let isAway = false;
  const look = async (): Promise<Handover | undefined> => {
    try {
      const { handover } = await phone.get('/v1/devices/{name}/handovers/{id}', { params, signal });
      isAway = false;
      return handover;
    } catch (error) {
      const mayPass = error instanceof CloudPhoneError && isPassing(error) && nowMs() < expiresMs;
      if (signal.aborted || !mayPass) throw error;
      if (!isAway) terminal.note(`cloudphone: the hand-over goes on, and is waited for: ${error.message}`);
      isAway = true;
      await wait(AWAY_LOOK_MS, signal);
      return undefined;
    }
  };
  try {
    for (;;) {
      const handover = await look();
      if (handover?.ended_at !== undefined) return handover;
    }
  } catch (error) {
    if (signal.aborted) await phone.delete('/v1/devices/{name}/handovers/{id}', { params: { path: { name, id } } });
    throw error;
  }
}
