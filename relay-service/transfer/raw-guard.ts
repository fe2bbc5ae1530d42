import { NOTHING, type StreamCut, type StreamGuard } from './stream-guard.js';
import type { TransferBudget } from './transfer-budget.js';

/**
 * Counts a stream whose data is a file and nothing else: an APK for the package manager, or `exec-in` and `exec-out`. A write that
 * would exceed the limit is not forwarded, and the stream ends there.
 */
export function rawGuard(parts: {
  budget: TransferBudget;
  cut: StreamCut;
  /** Sent to the client when the stream is cut. Absent: nothing is sent, because the client would take a text for data. */
  text: string | undefined;
  onCut: () => void;
  /** Whether the phone's data is a file and counts, as the client's data does. */
  countsReplies: boolean;
}): StreamGuard {
  const { budget, cut, text, onCut, countsReplies } = parts;
  return {
    route: (from, length) => ((from === 'phone' && !countsReplies) || budget.use(length) ? 'forward' : 'gather'),
    watched: () => undefined,
    gathered: () => {
      onCut();
      cut.takeOver(text === undefined ? [] : [Buffer.from(text)]).end();
      return NOTHING;
    },
    passed: () => undefined,
    receive: () => undefined,
  };
}
