import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { ApiError } from '../../kit/errors/api-error.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { ShareAccess, ShareService } from '../../proto/gen/cloudphone/device/v1/share_service_pb.js';
import { until } from '../../testing/until.js';
import { type Customer, ServiceWorld } from '../billing/service-world.js';

/** How long a service remembers a caller, s, and a little. */
const REMEMBERED_S = 2;

describe('the time of a share', () => {
  let world: ServiceWorld;
  let customer: Customer;

  beforeEach(async () => {
    world = await ServiceWorld.open(Date.parse('2037-01-31T10:00:00Z'));
    customer = await world.customer('c@example.com');
    await customer.credit('10');
    await customer.create({ name: 'one' });
    await world.idle();
  });
  afterEach(() => world.close());

  const way = () => joinInMemory(world.service.rpc, undefined);
  const shares = () => createClient(ShareService, way());
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  async function make(lifetimeS?: number): Promise<{ id: string; token: string }> {
    const init = { name: 'one', access: ShareAccess.READ, ...(lifetimeS !== undefined && { lifetimeS }) };
    const { share } = await shares().createShare(init, { headers: customer.headers });
    return { id: share!.id, token: share!.url!.split('#')[1] ?? '' };
  }
  const list = async () => (await shares().listShares({ name: 'one' }, { headers: customer.headers })).shares;

  const kindOf = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'none',
      (error: unknown) => (error instanceof ApiError ? error.kind : String(error)),
    );
  const locate = (token: string, scope = Scope.READ, forShares = true) =>
    kindOf(createClient(PhoneService, way()).locatePhone({ name: 'one', scope, shares: forShares }, as(token)));

  it('is over by the clock: it is refused, and no list has it, also before the database removes it', async () => {
    const { token } = await make(60);
    const { token: longer } = await make();
    expect((await shares().getOwnShare({}, as(token))).share?.expiresInS).to.equal(60);
    world.clock.turn(59_000);
    expect((await shares().getOwnShare({}, as(token))).share?.expiresInS).to.equal(1);
    expect(await locate(token)).to.equal('none');
    world.clock.turn(REMEMBERED_S * 1_000);
    expect(await kindOf(shares().getOwnShare({}, as(token)))).to.equal('unauthorized');
    expect(await locate(token)).to.equal('unauthorized');
    expect(await list()).to.have.length(1);
    expect(await locate(longer)).to.equal('none');
    world.clock.turn(86_400_000);
    expect(await locate(longer)).to.equal('unauthorized');
  });

  it('gives places of the device back when it is over', async () => {
    for (let count = 0; count < 20; count++) await make(60);
    expect(await kindOf(make())).to.equal('forbidden');
    world.clock.turn(60_000);
    for (let count = 0; count < 20; count++) await make(60);
    expect(await kindOf(make())).to.equal('forbidden');
  });

  it('goes on after the service was killed at any moment of making it, which leaves one share or none', async () => {
    const { token } = await make();
    for (let calls = 0; calls < 8; calls++) {
      const before = (await list()).length;
      world.dieAfter(calls);
      const made = make().then(
        (share) => share,
        () => undefined,
      );
      await Promise.race([made, world.cut()]);
      world.kill();
      await world.begin();
      expect(await locate(token), `${calls} calls`).to.equal('none');
      expect((await list()).length - before, `${calls} calls`).to.be.oneOf([0, 1]);
    }
  });

  it('ends with the key that made it', async () => {
    const { token } = await make();
    expect(await locate(token)).to.equal('none');
    await customer.revoke();
    expect(await locate(token)).to.equal('unauthorized');
  });

  it('is for the rpcs of shares alone, with its access', async () => {
    const { token } = await make();
    expect(await locate(token, Scope.READ, false)).to.equal('unauthorized');
    expect(await locate(token, Scope.CONTROL)).to.equal('forbidden');
    const call = createClient(PhoneService, way()).identifyPhone({ name: 'one', scope: Scope.READ }, as(token));
    expect(await kindOf(call)).to.equal('unauthorized');
    expect(await kindOf(world.callAs(`Bearer ${token}`))).to.equal('unauthorized');
  });

  it('is removed with its device', async () => {
    await make();
    await customer.remove('one');
    await world.idle();
    await until(async () => (await world.database.collection('shares').countDocuments()) === 0);
  });
});
