import type { RecordingEnd } from '../store/recordings.js';

/** Why and how a recording is to end. */
export type PlannedEnd = Pick<RecordingEnd, 'state' | 'reason'>;

/** What makes a recording. */
export interface StoppableRecorder {
  /** Ends the recording with its last picture. The first reason counts. */
  stop(planned: PlannedEnd): void;
}

/** A recording that begins, as `Recorders` knows it. */
export interface BegunRecording {
  /** Gives it what makes it. A stop that was asked for before reaches the recorder at once. */
  attach(recorder: StoppableRecorder): void;
  /** Notes that it has ended, or did not begin. */
  end(): void;
}

interface Running {
  recorder?: StoppableRecorder;
  /** A stop that came before there was a recorder. */
  planned?: PlannedEnd;
  ended: Promise<void>;
}

/** The recordings that this process makes, by id. A recording is among them before its document is written. */
export class Recorders {
  readonly #running = new Map<string, Running>();

  get size(): number {
    return this.#running.size;
  }

  /** Notes that a recording begins. `end` of the returned object must be called, whatever happens. */
  begin(id: string): BegunRecording {
    let resolve = (): void => undefined;
    const running: Running = { ended: new Promise<void>((done) => (resolve = done)) };
    this.#running.set(id, running);
    return {
      attach: (recorder) => {
        running.recorder = recorder;
        if (running.planned !== undefined) recorder.stop(running.planned);
      },
      end: () => {
        this.#running.delete(id);
        resolve();
      },
    };
  }

  has(id: string): boolean {
    return this.#running.has(id);
  }

  /** Stops a recording, and resolves when its end is stored. Returns at once where this process does not make it. */
  async stop(id: string): Promise<void> {
    const running = this.#running.get(id);
    if (running === undefined) return;
    plan(running, { state: 'ready' });
    await running.ended;
  }

  /** Ends all recordings, as the service is about to end. */
  async close(): Promise<void> {
    const all = [...this.#running.values()];
    for (const running of all) plan(running, { state: 'interrupted', reason: 'The service was stopped.' });
    await Promise.all(all.map(({ ended }) => ended));
  }
}

/** The first reason counts, as for a recorder. */
function plan(running: Running, planned: PlannedEnd): void {
  running.planned ??= planned;
  running.recorder?.stop(planned);
}
