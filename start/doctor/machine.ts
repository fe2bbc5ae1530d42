import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { systemClock } from '../../kit/async/clock.js';
import type { Machine } from './finding.js';

/** How long a program or an HTTP server may take, ms, and the most that is read of each, bytes. */
const LIMIT_MS = 5_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** This machine. */
export const thisMachine: Machine = {
  readText: (path) => readFile(path, 'utf8').catch(() => undefined),
  ask: ({ url, socketPath }) =>
    new Promise((resolve) => {
      const none = (): void => resolve(undefined);
      const asked = request(url, { socketPath, timeout: LIMIT_MS, agent: false }, (response) => {
        let body = '';
        response.on('error', none).on('data', (chunk: Buffer) => {
          body += chunk.toString();
          if (body.length > MAX_OUTPUT_BYTES) asked.destroy();
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
        response.on('close', none);
      });
      asked.on('error', none).on('timeout', () => asked.destroy());
      asked.end();
    }),
  run: (program, words) =>
    new Promise((resolve) => {
      const options = { timeout: LIMIT_MS, maxBuffer: MAX_OUTPUT_BYTES };
      execFile(program, [...words], options, (error, output) => resolve(error === null ? output : undefined));
    }),
  now: () => systemClock.now(),
};
