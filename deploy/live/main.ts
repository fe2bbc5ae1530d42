import { readLiveUrl } from './config.js';

/** Longest wait for the response, ms; the image's health check allows 5 s for the whole program. */
const RESPONSE_MS = 3_000;

// The image's health check: ends with status 0 if the service of this container is alive. Missing dependencies do not make it fail.
try {
  const response = await fetch(readLiveUrl(process.env), { signal: AbortSignal.timeout(RESPONSE_MS) });
  if (!response.ok) throw new Error(`/livez responded with status ${response.status}`);
} catch (error) {
  process.stderr.write(`not alive: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
