import type Docker from 'dockerode';
import type { Clock } from '../../kit/clock.js';
import { type OperationOptions, PhoneFailure } from '../driver.js';
import { callEngine, unlessGone } from './engine-call.js';

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
  { clock, signal, onProgress }: OperationOptions & { clock: Clock },
): Promise<string> {
  const find = (): Promise<Docker.ImageInspectInfo | undefined> =>
    unlessGone(callEngine({ clock, signal }, () => docker.getImage(reference).inspect()));
  const known = await find();
  if (known !== undefined) return known.Id;
  await pull(docker, reference, { signal, onProgress });
  const pulled = await find();
  if (pulled === undefined) throw refused(reference, 'the engine does not have it after the pull');
  return pulled.Id;
}

async function pull(docker: Docker, reference: string, { signal, onProgress }: OperationOptions): Promise<void> {
  const layers = new Map<string, number>();
  const stream = await docker.pull(reference, { abortSignal: signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw refused(reference, error instanceof Error ? error.message : String(error), error);
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
        else reject(refused(reference, failure, error));
      },
      onLine,
    );
  });
}

/** For the operator: customers name models, not images. */
function refused(reference: string, reason: string, cause?: unknown): PhoneFailure {
  const message = `The image "${reference}" of the model cannot be pulled: ${reason.slice(0, 200)}`;
  return new PhoneFailure(message, { cause });
}
