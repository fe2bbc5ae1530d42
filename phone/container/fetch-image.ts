import type Docker from 'dockerode';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { type OperationOptions, PhoneFailure } from '../driver.js';
import { callEngine, statusOf, unlessGone } from './engine-call.js';

/** A line of the engine's report on a pull; the fields differ between engines. */
interface PullLine {
  id?: string;
  status?: string;
  error?: string;
  progressDetail?: { current?: number; total?: number };
}

/** Returns the engine's id of an image, a digest of its content; pulls it where the engine does not have it. */
export async function fetchImage(
  docker: Docker,
  reference: string,
  { clock, log, signal, onProgress }: OperationOptions & { clock: Clock; log: Log },
): Promise<string> {
  const find = (): Promise<Docker.ImageInspectInfo | undefined> =>
    unlessGone(callEngine({ clock, signal }, () => docker.getImage(reference).inspect()));
  const known = await find();
  if (known !== undefined) return known.Id;
  await pull(docker, reference, { log, signal, onProgress });
  const pulled = await find();
  if (pulled === undefined) throw refused(log, reference, 'the engine does not have it after the pull');
  return pulled.Id;
}

async function pull(
  docker: Docker,
  reference: string,
  { log, signal, onProgress }: OperationOptions & { log: Log },
): Promise<void> {
  const layers = new Map<string, number>();
  const stream = await docker.pull(reference, { abortSignal: signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    // Without a response it is the connection to the engine that failed.
    if (statusOf(error) === undefined) throw error;
    throw refused(log, reference, error);
  });
  const onLine = ({ id, progressDetail: { current = 0, total = 0 } = {} }: PullLine): void => {
    if (id === undefined || total <= 0) return;
    layers.set(id, current / total);
    const sum = [...layers.values()].reduce((all, one) => all + one, 0);
    onProgress?.(Math.min(99, Math.floor((sum / layers.size) * 100)));
  };
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(
      stream,
      (error: Error | null, lines: PullLine[] | null) => {
        const failure = error?.message ?? lines?.find((line) => line.error !== undefined)?.error;
        if (failure === undefined) resolve();
        // Given up, not refused: the work is done again.
        else if (signal?.aborted === true) reject(signal.reason as Error);
        else reject(refused(log, reference, failure));
      },
      onLine,
    );
  });
}

/** The reason is for the operator: customers name models, not images. */
function refused(log: Log, image: string, reason: unknown): PhoneFailure {
  log.error({ image, err: reason }, 'the image of a model cannot be pulled');
  return new PhoneFailure('The image of this model cannot be fetched. Choose another model, or inform the operator.');
}
