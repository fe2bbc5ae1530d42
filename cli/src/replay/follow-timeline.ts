import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import { CloudPhoneError } from '../../../client/src/errors.js';
import { SeenElements } from '../../../replay/timeline/seen-elements.js';
import { lastingSteps } from '../../../replay/timeline/lasting-steps.js';
import type { Entry } from '../../../replay/timeline/entry.js';
import type { Invocation } from '../command/command.js';
import { plainLine } from '../output/plain-text.js';
import type { KeptTimeline } from './kept-timeline.js';
import { stepWords } from './step-words.js';
import { type EntryFilter, pageOf } from './timeline-entries.js';

/**
 * Time between two looks at the timeline, and between two checks whether it is still on, ms. Together they take half of the 60 requests that
 * a key has in a minute, as the program that is recorded may have the same key.
 */
const LOOK_MS = 3_000;
const CHECK_MS = 6_000;

/** After the end, entries are waited for until none has come for this time, ms: an entry comes when its screen was still. */
const QUIET_MS = 4_000;
const MAX_LATE_MS = 15_000;
const LATE_LOOK_MS = 1_000;

/** Kinds of errors of a service that is away for now. */
const AWAY: readonly string[] = ['unreachable', 'unavailable', 'timeout'];

/** Prints each step that is done on a phone, until the end of the call and until the last entries have come. Keeps the timeline on. */
export async function followTimeline(
  { signal, terminal, wait, nowMs, options }: Invocation,
  phone: CloudPhone,
  name: string,
  { filter, timeline }: { filter: EntryFilter; timeline: Pick<KeptTimeline, 'keepOn'> },
): Promise<void> {
  const { signal: own } = new AbortController();
  const printed = new Set<string>();
  const seen = new SeenElements();
  const look = async (): Promise<number> => {
    const { entries } = await pageOf(phone, name, filter, { signal: own });
    const fresh = entries.filter(({ id }) => !printed.has(id)).reverse();
    for (const { id } of fresh) printed.add(id);
    if (!options.flag('json')) for (const line of linesOf(fresh, seen)) terminal.note(plainLine(`  ${line}`));
    return fresh.length;
  };
  let checkedMs = nowMs();
  const check = async (): Promise<void> => {
    if (nowMs() - checkedMs < CHECK_MS) return;
    if (await timeline.keepOn())
      terminal.note(`cloudphone: the timeline of ${name} was turned off meanwhile. It is on again.`);
    checkedMs = nowMs();
  };
  let isAway = false;
  // The entries are kept meanwhile, so a recording outlasts a restart of the service.
  const lookUnlessAway = async (): Promise<number> => {
    try {
      if (!signal.aborted) await check();
      const count = await look();
      isAway = false;
      return count;
    } catch (error) {
      if (!(error instanceof CloudPhoneError) || !AWAY.includes(error.kind)) throw error;
      if (!isAway) terminal.note(`cloudphone: the steps cannot be shown for now, and are recorded: ${error.message}`);
      isAway = true;
      return 0;
    }
  };
  while (!signal.aborted) {
    await lookUnlessAway();
    // The end of the wait by Ctrl-C is the end of the recording, and no failure.
    await wait(LOOK_MS, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
  const endMs = nowMs();
  let quietSinceMs = endMs;
  while (nowMs() - quietSinceMs < QUIET_MS && nowMs() - endMs < MAX_LATE_MS) {
    if ((await lookUnlessAway()) > 0) quietSinceMs = nowMs();
    await wait(LATE_LOOK_MS);
  }
}

function linesOf(entries: readonly Entry[], seen: SeenElements): string[] {
  return lastingSteps(entries, seen).flatMap(({ steps }) => steps.map(stepWords));
}
