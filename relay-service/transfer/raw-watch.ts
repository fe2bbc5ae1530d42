import type { TransferBudget } from './budget.js';
import type { StreamCut, Watch, WatchedSide } from './watch.js';

/**
 * Counts a stream that is a file as it is: an APK on its way to the package manager, or `exec-in` and `exec-out`. The write that
 * would be too much does not go on, and the stream ends there; an install is told why in words, as its client reads them.
 */
export class RawWatch implements Watch {
  readonly fromClient: WatchedSide;
  readonly fromPhone: WatchedSide;

  constructor(parts: {
    budget: TransferBudget;
    cut: StreamCut;
    /** What the client is told. Absent: it would be taken for data. */
    text: string | undefined;
    onCut: () => void;
    /** Whether what the phone answers is a file too. */
    countsAnswers: boolean;
  }) {
    const { budget, cut, text, onCut, countsAnswers } = parts;
    let isCut = false;
    const side = (counts: boolean): WatchedSide => ({
      // What fits is used up at once: no part of it is looked at.
      route: (length) => {
        if (isCut || (counts && !budget.use(length))) return 'take';
        return 'watch';
      },
      piece: () => undefined,
      end: () => undefined,
      packet: (payload) => payload,
      passed: () => undefined,
    });
    const cutting = (watched: WatchedSide): WatchedSide => {
      let tooMuch = false;
      return {
        ...watched,
        route: (length) => {
          const route = watched.route(length);
          tooMuch = route === 'take';
          return route;
        },
        end: () => {
          if (!tooMuch || isCut) return;
          isCut = true;
          onCut();
          cut.takeOver(text === undefined ? [] : [Buffer.from(text)]).end();
        },
      };
    };
    this.fromClient = cutting(side(true));
    this.fromPhone = cutting(side(countsAnswers));
  }
}
