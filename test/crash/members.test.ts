import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { joinInMemory } from '../../kit/rpc/transport.js';
import {
  InvitationService,
  KeysOfMember,
  MemberService,
} from '../../proto/gen/cloudphone/access/v1/member_service_pb.js';
import { SessionService } from '../../proto/gen/cloudphone/access/v1/session_service_pb.js';
import { MemberRole } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { settled } from '../../testing/fake-clock.js';
import { type Customer, ServiceWorld } from '../billing/service-world.js';

/** More calls to the database than any of these requests takes. */
const MAX_CALLS = 24;
const EMAIL = 'ben@example.com';
const PASSWORD = 'battery staple';

describe('members whose service is killed at each call to its database', () => {
  let world: ServiceWorld;
  let owner: Customer;
  let headers: { authorization: string };

  beforeEach(async () => {
    world = await ServiceWorld.open();
    owner = await world.customer('ann@example.com');
    headers = await signIn('ann@example.com', 'correct horse');
  });
  afterEach(() => world.close());

  const way = () => joinInMemory(world.service.rpc, undefined);
  const members = () => createClient(MemberService, way());
  const invitations = () => createClient(InvitationService, way());
  const membersNow = () => world.stores.members.list(owner.accountId, 100);
  const kindOf = (error: unknown): string => (error as { kind?: string }).kind ?? 'none';

  async function signIn(email: string, password: string): Promise<{ authorization: string }> {
    const { cookie } = await createClient(SessionService, way()).signIn({ email, password });
    return { authorization: `Session ${cookie?.token ?? ''}` };
  }

  async function invite(role: MemberRole): Promise<string> {
    const { invitation } = await invitations().createInvitation({ email: EMAIL, role }, { headers });
    return invitation?.url?.split('#')[1] ?? '';
  }

  /** Kills the service after some calls of the work, starts it again, and returns whether the work was done before. */
  async function killAfter(calls: number, work: () => Promise<unknown>): Promise<boolean> {
    world.dieAfter(calls);
    const isDone = await Promise.race([work().then(() => true), world.cut().then(() => false)]);
    await settled();
    world.kill();
    await world.begin();
    return isDone;
  }

  async function removeBen(): Promise<void> {
    const ben = (await membersNow()).find(
      ({ role, personId }) => role !== 'owner' || personId !== owner.accountId.replace('acc_', 'per_'),
    );
    if (ben !== undefined) await members().removeMember({ id: ben._id, keys: KeysOfMember.REVOKE }, { headers });
  }

  it('join once by an invitation, which is neither lost nor used twice', async () => {
    const finished = new Set<boolean>();
    for (let calls = 0; calls < MAX_CALLS; calls++) {
      const token = await invite(MemberRole.OWNER);
      const accept = () => invitations().acceptInvitation({ token, password: PASSWORD });
      finished.add(await killAfter(calls, accept));
      const again = await accept().catch(kindOf);
      if (typeof again === 'string') expect(again, `after ${calls} calls`).to.equal('not_found');
      const now = await membersNow();
      expect(
        now.map(({ role }) => role),
        `after ${calls} calls`,
      ).to.deep.equal(['owner', 'owner']);
      expect(await world.stores.invitations.list(owner.accountId, 10), `after ${calls} calls`).to.deep.equal([]);
      expect(await accept().catch(kindOf), `after ${calls} calls`).to.equal('not_found');
      await signIn(EMAIL, PASSWORD);
      await removeBen();
      expect(await world.stores.people.findByEmail(EMAIL)).to.equal(null);
    }
    expect(finished).to.have.length(2);
  });

  it('are removed by the same request again, with their keys, and the last owner stays', async () => {
    const finished = new Set<boolean>();
    for (let calls = 0; calls < MAX_CALLS; calls++) {
      const token = await invite(MemberRole.OWNER);
      const { member } = await invitations().acceptInvitation({ token, password: PASSWORD });
      const id = member?.id ?? '';
      const remove = () => members().removeMember({ id, keys: KeysOfMember.REVOKE }, { headers });
      finished.add(await killAfter(calls, remove));
      const again = await remove().catch(kindOf);
      if (typeof again === 'string') expect(again, `after ${calls} calls`).to.equal('not_found');
      expect(
        (await membersNow()).map(({ role }) => role),
        `after ${calls} calls`,
      ).to.deep.equal(['owner']);
      const own = (await membersNow())[0]?._id ?? '';
      const last = await members().removeMember({ id: own, keys: KeysOfMember.KEEP }, { headers }).catch(kindOf);
      expect(last, `after ${calls} calls`).to.equal('busy');
    }
    expect(finished).to.have.length(2);
  });

  it('get another role by the same request again, and an owner is always left', async () => {
    const { member } = await invitations().acceptInvitation({
      token: await invite(MemberRole.ADMIN),
      password: PASSWORD,
    });
    const id = member?.id ?? '';
    for (let calls = 0; calls < MAX_CALLS; calls++) {
      for (const role of [MemberRole.OWNER, MemberRole.ADMIN]) {
        const change = () => members().updateMember({ id, role }, { headers });
        await killAfter(calls, change);
        expect((await world.stores.accounts.find(owner.accountId))?.owners, `after ${calls} calls`).not.to.deep.equal(
          [],
        );
        expect((await change()).member?.role, `after ${calls} calls`).to.equal(role);
        const owners = (await world.stores.accounts.find(owner.accountId))?.owners ?? [];
        expect(owners, `after ${calls} calls`).to.have.length(role === MemberRole.OWNER ? 2 : 1);
      }
    }
  });
});
