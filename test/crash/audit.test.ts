import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { digestOf } from '../../device-service/accounts/audit/audit-line.js';
import { type AuditDocument, END_SEQ } from '../../device-service/store/audit.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { KeyScope } from '../../proto/gen/cloudphone/access/v1/key_pb.js';
import { KeyService } from '../../proto/gen/cloudphone/access/v1/key_service_pb.js';
import { SessionService } from '../../proto/gen/cloudphone/access/v1/session_service_pb.js';
import { settled } from '../../testing/fake-clock.js';
import { ServiceWorld } from '../billing/service-world.js';

/** More calls to the database than the making of a key and its entry take. */
const MAX_CALLS = 20;

describe('the audit log of a service that is killed at each call to its database', () => {
  let world: ServiceWorld;
  before(async () => (world = await ServiceWorld.open()));
  after(() => world.close());

  it('has each call that was answered once, in a whole chain', async () => {
    const { accountId } = await world.customer('ann@example.com');
    const keys = () => createClient(KeyService, joinInMemory(world.service.rpc, undefined));
    const signIn = () =>
      createClient(SessionService, joinInMemory(world.service.rpc, undefined)).signIn({
        email: 'ann@example.com',
        password: 'correct horse',
      });
    const headers = { authorization: `Session ${(await signIn()).cookie?.token ?? ''}` };
    const entries = (): Promise<AuditDocument[]> =>
      world.stores.audit.list(accountId, {}, { first: 1, end: END_SEQ }, 1_000);
    const outcomes = new Set<string>();
    for (let calls = 0; calls < MAX_CALLS; calls++) {
      const before = (await entries()).length;
      world.dieAfter(calls);
      const made = keys()
        .createKey({ name: `key ${calls}`, scope: KeyScope.READ, devices: ['*'] }, { headers })
        .then(({ key }) => key?.id);
      const id = await Promise.race([made, world.cut().then(() => undefined)]);
      await settled();
      world.kill();
      await world.begin();
      const added = (await entries()).slice(0, (await entries()).length - before);
      outcomes.add(id === undefined ? 'killed' : 'answered');
      // A call without an answer may have its entry or not.
      const about = added.map(({ action, target, outcome }) => ({ action, target, outcome }));
      if (id !== undefined)
        expect(about, `after ${calls} calls`).to.deep.equal([
          { action: 'KeyService.CreateKey', target: id, outcome: 'ok' },
        ]);
      else expect(about.length, `after ${calls} calls`).to.be.at.most(1);
    }
    expect(outcomes).to.have.length(2);
    const chain = (await entries()).reverse();
    for (const [at, entry] of chain.entries()) {
      expect(entry.seq).to.equal(at + 1);
      expect(entry.before).to.equal(chain[at - 1]?.digest ?? '');
      expect(entry.digest).to.equal(digestOf(entry));
    }
  });
});
