import type Docker from 'dockerode';
import type { OperationOptions } from '../driver.js';
import { statusOf } from './engine-call.js';

/** A line of the engine's report on a pull; the fields differ between engines. */
interface PullLine {
  id?: string;
  status?: string;
  error?: string;
  progressDetail?: { current?: number; total?: number };
}

/** The engine responded that an image cannot be pulled, for the reason `cause`. */
export class PullRefusal extends Error {
  override name = 'PullRefusal';
}

/** Has the engine pull an image. Throws PullRefusal where it refuses, and another error where it does not respond. */
export async function pullImage(
  docker: Docker,
  reference: string,
  { signal, onProgress }: OperationOptions,
): Promise<void> {
  const layers = new Map<string, number>();
  const stream = await docker.pull(reference, { abortSignal: signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    // Without a response it is the connection to the engine that failed.
    if (statusOf(error) === undefined) throw error;
    throw refusal(reference, error);
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
        // The caller gave the pull up, and the engine did not refuse it. So the work is done again.
        else if (signal?.aborted === true) reject(signal.reason as Error);
        else reject(refusal(reference, failure));
      },
      onLine,
    );
  });
}

function refusal(reference: string, cause: unknown): PullRefusal {
  return new PullRefusal(`the engine cannot pull ${reference}`, { cause });
}
