import type { Clock } from '../../kit/async/clock.js';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { TypedSecrets } from '../secrets/typed-secrets.js';
import { type FilePiece, RecordedFilm } from './recorded-film.js';
import type { UnitSource } from './unit-source.js';

/** How often the files get what was shown since, ms. A crash loses that much. */
const FLUSH_MS = 1_000;
/** Time for the first picture, ms. */
const FIRST_MS = 20_000;

export interface Recorded {
  pieces: FilePiece[];
  durationMs: number;
  hasSecrets: boolean;
}

export interface RecordOptions {
  clock: Clock;
  /** The secrets that are typed into the phone. */
  secrets: TypedSecrets;
  /** Opens the video. `onNews` is called when there is the first unit, or none will come. */
  open: (onNews: () => void) => UnitSource;
  /** Keeps the phone connected. Throws when the phone has restarted meanwhile. It is called about every second. */
  keep: () => void;
  /** How long the recording waits for a video that has ended to go on, ms. */
  awayMs: number;
  /** Aborts when the recording is to end as it should. */
  stop: AbortSignal;
  /** Aborts when the recording is broken off. */
  signal: AbortSignal;
}

/**
 * Yields the pieces of a recording's files: first with the first picture, then about every second, and last when it is stopped. Throws when
 * the video ends by itself. After that, the files have everything up to the last pieces.
 */
export async function* recordScreen(options: RecordOptions): AsyncGenerator<Recorded, void, undefined> {
  const { clock, secrets, open, keep, awayMs, stop, signal } = options;
  const news = new WakeSignal();
  const onStop = (): void => news.wake();
  const typedBefore = secrets.typed;
  const film = new RecordedFilm();
  const beganMs = clock.monotonicMs();
  let flushMs = beganMs + FIRST_MS;
  let hasBegun = false;
  const source = open(() => news.wake());
  stop.addEventListener('abort', onStop);
  // `finally` alone does not suffice: a generator whose reader has left may never be resumed.
  signal.addEventListener('abort', source.leave);
  try {
    for (;;) {
      signal.throwIfAborted();
      for (const unit of source.take()) film.add(unit, beganMs);
      const nowMs = clock.monotonicMs();
      const [isFirst, isLast] = [!hasBegun && !film.isEmpty, stop.aborted];
      if (isFirst || isLast || nowMs >= flushMs) {
        if (film.isEmpty && !isLast) throw noPicture(source.failing?.error);
        hasBegun = true;
        keep();
        flushMs = nowMs + FLUSH_MS;
        const pieces = film.flush(nowMs);
        yield { pieces, durationMs: film.durationMs(nowMs), hasSecrets: secrets.typed > typedBefore };
        if (isLast) return;
        continue;
      }
      const { failing } = source;
      if (source.isOver || (failing !== undefined && failing.forMs > awayMs)) throw videoEnded(failing?.error);
      await news.wait({ signal, timeout: { clock, ms: flushMs - nowMs } });
    }
  } finally {
    stop.removeEventListener('abort', onStop);
    signal.removeEventListener('abort', source.leave);
    source.leave();
  }
}

function videoEnded(cause: Error | undefined): ApiError {
  return cause instanceof ApiError ? cause : new ApiError('unavailable', 'The video of the phone ended.', { cause });
}

function noPicture(cause: Error | undefined): ApiError {
  return new ApiError(
    'unavailable',
    'The phone sent no picture to begin with. Take a screenshot to see whether it responds, then try again.',
    { cause },
  );
}
