import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import type { FirstAccount } from '../../device-service/accounts/people/first-start.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { AccountService } from '../../proto/gen/cloudphone/access/v1/account_service_pb.js';
import { SessionService } from '../../proto/gen/cloudphone/access/v1/session_service_pb.js';
import { freePort } from '../../testing/free-port.js';
import { ServiceWorld } from '../billing/service-world.js';
import { startWorld } from '../world.js';

/** More calls to the database than the first account takes. */
const MAX_CALLS = 24;

describe('a first start that is killed', () => {
  it('loses neither the key nor the password, wherever it was', async () => {
    const finished: boolean[] = [];
    for (let calls = 0; calls < MAX_CALLS; calls++) {
      const world = await ServiceWorld.open();
      let kept: FirstAccount | undefined;
      const begin = () => world.service.createFirstAccount('owner@localhost', (first) => (kept = first));
      world.dieAfter(calls);
      finished.push(await Promise.race([begin().then(() => true), world.cut().then(() => false)]));
      world.kill();
      await world.begin();
      await begin();

      const way = joinInMemory(world.service.rpc, undefined);
      const headers = { authorization: `Bearer ${kept?.apiKey ?? ''}` };
      const { account } = await createClient(AccountService, way).getAccount({}, { headers });
      expect(account?.balance, `after ${calls} calls`).to.equal('10.00');
      const { email = '', password = '' } = kept ?? {};
      await createClient(SessionService, way).signIn({ email, password });
      await world.close();
    }
    // So that every call had its kill.
    expect(finished).to.include(false).and.to.include(true);
  });
});

describe('a first start', () => {
  it('has made its account before anyone could ask for it', async () => {
    const port = await freePort();
    let outcome: unknown;
    const atFirstAccount = async (): Promise<void> => {
      outcome = await signUp(port).catch((error: unknown) => error);
    };
    const world = await startWorld({ port, atFirstAccount });
    expect(outcome).to.have.nested.property('cause.code', 'ECONNREFUSED');
    expect((await signUp(port)).status).to.equal(400);
    await world.close();
  });

  it('signs out sessions of that account without a key of it', async () => {
    const world = await ServiceWorld.open();
    const way = joinInMemory(world.service.rpc, undefined);
    const taken = { email: 'owner@localhost', password: 'correct horse' };
    await createClient(AccountService, way).signUp(taken);
    const { cookie } = await createClient(SessionService, way).signIn(taken);
    const headers = { authorization: `Session ${cookie?.token ?? ''}` };
    const first = await world.service.createFirstAccount(taken.email);
    expect(first?.password).not.to.equal(taken.password);
    const fates = [
      () => createClient(AccountService, way).getAccount({}, { headers }),
      () => createClient(SessionService, way).signIn(taken),
    ];
    for (const ask of fates) {
      const refused = await ask().catch((error: unknown) => error);
      expect(refused).to.include({ kind: 'unauthorized' });
    }
    await world.close();
  });
});

function signUp(port: number): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/v1/account`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'owner@localhost', password: 'correct horse' }),
  });
}
