import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Invocation } from '../command/command.js';
import { run } from './record-steps.js';

const entry = (id: string, app: string) => ({
  ...{ id, at: '2026-11-20T17:00:00Z', kind: 'act', key: 'main', outcome: 'done', duration_ms: 9, app: 'com.x' },
  request: { open_app: { app } },
  after: `/v1/devices/demo/timeline/${id}/after`,
});
const DEVICE = { name: 'demo', model: 'phone-720p', android: '14', timeline: false, screen: { width: 9, height: 16 } };

describe('a recording of steps', () => {
  let folder: string;
  let service: Server;
  let notes: string[];
  /** Requests that fail, as method and path. */
  let failing: RegExp;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-record-'));
    notes = [];
    failing = /^$/;
    service = createServer((request, response) => {
      const [path = ''] = (request.url ?? '').split('?');
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        if (failing.test(`${request.method ?? ''} ${path} ${body}`))
          response
            .writeHead(403, { 'content-type': 'application/json' })
            .end('{"error":"forbidden","message":"Not now."}');
        else if (path.endsWith('/after')) response.end('a picture');
        else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(documentOf(path)));
      });
    });
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
  });
  afterEach(async () => {
    service.closeAllConnections();
    await new Promise((resolve) => service.close(resolve));
    rmSync(folder, { recursive: true });
  });

  function documentOf(path: string): object {
    if (path.endsWith('/observe')) return { observation: { observed_at: '2026-11-20T16:59:00Z' } };
    if (path.endsWith('/timeline')) return { entries: [entry('tl_2', 'Clock'), entry('tl_1', 'Notes')] };
    return { device: DEVICE };
  }

  /** Records until the first pause, and returns the file. */
  async function record(): Promise<string> {
    const stop = new AbortController();
    const file = join(folder, 'steps.yaml');
    let nowMs = 0;
    await run({
      words: ['demo'],
      options: { text: (name: string) => (name === 'output' ? file : undefined), flag: () => false },
      settings: { url: `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`, key: 'k', servicesFile: '' },
      terminal: { note: (line: string) => notes.push(line), line: (line: string) => notes.push(line) },
      wait: async (ms: number) => {
        nowMs += ms;
        stop.abort();
      },
      nowMs: () => nowMs,
      signal: stop.signal,
    } as unknown as Invocation);
    return readFileSync(file, 'utf8');
  }

  it('is written with its pictures', async () => {
    expect(await record())
      .to.include('steps.pictures/001.webp')
      .and.include('steps.pictures/002.webp');
    expect(notes.join('\n')).to.include('the timeline of demo is off again').and.include('2 steps, 2 pictures');
  });

  it('is written though the timeline cannot be turned off again, which is noted', async () => {
    failing = /^PATCH .*false/;
    expect(await record()).to.include('open_app: { app: Notes }');
    expect(notes.join('\n')).to.include('the timeline of demo is still on, turn it off in the panel: Not now.');
  });

  it('is written without the pictures that cannot be had, which is noted', async () => {
    failing = /tl_2\/after/;
    const text = await record();
    expect(text).to.include('open_app: { app: Clock }').and.include('001.webp').and.not.include('002.webp');
    expect(notes.join('\n')).to.include('so the others were left out: Not now.').and.include('2 steps, 1 picture');
  });
});
