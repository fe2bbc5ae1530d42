import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Wait } from '../../client/src/platform.js';
import { callCli } from './call.js';
import type { Called } from './program.js';

const HANDOVER = {
  ...{ id: 'hnd_1', device: 'one', state: 'waiting', reason: 'Type the code', requested_by: 'agent' },
  ...{
    begun_at: '2026-11-20T17:00:00.000Z',
    expires_at: '2026-11-20T17:10:00.000Z',
    url: 'https://x.example/share#sh_1',
  },
};
const DONE = { ...HANDOVER, state: 'done', ended_at: '2026-11-20T17:02:00.000Z', result: { note: 'It is typed' } };

/** Looks that a service which is away refuses. */
const AWAY_LOOKS = 12;

describe('a hand-over of the command line while the service is away', () => {
  let server: Server;
  let begun = HANDOVER;
  let away = 0;
  let deleted = 0;

  const respond = ({ method }: IncomingMessage, response: ServerResponse): void => {
    const json = (status: number, body: object): void => {
      // The client hands an error with a long Retry-After on at once, so that nothing here sleeps.
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(status === 503 && { 'retry-after': '600' }),
      });
      response.end(JSON.stringify(body));
    };
    if (method === 'POST') json(201, { handover: begun });
    else if (method === 'DELETE') {
      deleted++;
      json(200, { handover: DONE });
    } else if (away-- > 0) json(503, { error: 'unavailable', message: 'Away.' });
    else json(200, { handover: DONE });
  };

  before((ready) => {
    server = createServer(respond).listen(0, '127.0.0.1', ready);
  });
  after((closed) => {
    server.close(closed);
    server.closeAllConnections();
  });
  beforeEach(() => {
    [begun, away, deleted] = [HANDOVER, AWAY_LOOKS, 0];
  });

  const ask = (rest: { wait?: Wait; signal?: AbortSignal }): Promise<Called> => {
    const { port } = server.address() as AddressInfo;
    const environment = { HOME: '/nonexistent', CLOUDPHONE_URL: `http://127.0.0.1:${port}`, CLOUDPHONE_KEY: 'k' };
    return callCli(['handover', 'one', '--reason', 'Type the code'], environment, rest);
  };

  it('is waited for, and this is noted once', async () => {
    let waits = 0;
    const wait = async (): Promise<void> => {
      waits++;
    };
    const { status, stdout, stderr } = await ask({ wait });
    expect([status, stdout, waits]).to.deep.equal([0, 'done  It is typed\n', AWAY_LOOKS]);
    expect(stderr.split('the hand-over goes on')).to.have.length(2);
  });

  it('is waited for until its time is over', async () => {
    begun = { ...HANDOVER, expires_at: HANDOVER.begun_at };
    const { status, stderr } = await ask({ wait: () => Promise.reject(new Error('must not wait')) });
    expect(status).not.to.equal(0);
    expect(stderr).to.include('Away.');
  });

  it('is cancelled by Ctrl-C', async () => {
    const call = new AbortController();
    const stop = (): Promise<void> => {
      call.abort();
      return Promise.reject(new Error('aborted'));
    };
    await ask({ wait: stop, signal: call.signal });
    expect(deleted).to.equal(1);
  });
});
