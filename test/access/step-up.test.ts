import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Transport } from '@connectrpc/connect';
import { expect } from 'chai';
import { contractsOver } from '../../gateway/contracts.js';
import { assertAllowed } from '../../kit/rpc/caller.js';
import { routeOf } from '../../kit/rpc/mesh.js';
import { assertConfirmed } from '../../kit/rpc/step-up.js';
import { type Caller, CallerSchema } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { MemberRole, type Route, Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';

const MINUTE_MS = 60_000;
const NOW_MS = 1_800_000_000_000;
const NONE = {} as Transport;

/** Every rpc with a route that someone signed in may call, with its traits. */
const routes: [name: string, traits: Route][] = contractsOver({
  device: NONE,
  screen: NONE,
  relay: NONE,
  webhook: NONE,
})
  .flatMap(({ descriptor }) => descriptor.methods)
  .flatMap((method) => {
    const traits = routeOf(method);
    return traits === undefined || traits.scope === Scope.PUBLIC ? [] : [[method.name, traits] as [string, Route]];
  });

const owner = (more: Partial<Caller> = {}): Caller =>
  Object.assign(create(CallerSchema, { scope: Scope.PERSON, role: MemberRole.OWNER }), more);

/** Returns the names of the routes that refuse a caller. */
function refusedTo(caller: Caller): string[] {
  return routes.flatMap(([name, traits]) => {
    try {
      assertAllowed(caller, traits);
      assertConfirmed(caller, traits, NOW_MS);
      return [];
    } catch {
      return [name];
    }
  });
}

describe('routes that ask people for more', () => {
  it('ask for a confirmation where access changes, or a device is deleted', () => {
    const names = routes.filter(([, { confirmed }]) => confirmed).map(([name]) => name);
    expect(names).to.include.members([
      ...['CreateKey', 'UpdateKey', 'RevokeKey', 'DeleteDevice', 'ChangePassword', 'UpdateAccount'],
      ...['UpdateMember', 'RemoveMember', 'CreateInvitation'],
      ...['CreateSecondFactor', 'DeleteSecondFactor', 'RenewRecoveryCodes'],
    ]);
    expect(names).not.to.include('ConfirmSession');
    // A caller whose confirmation is too old is refused by these routes and by no other.
    const at = (ageMs: number) => owner({ confirmedAt: timestampFromMs(NOW_MS - ageMs) });
    expect(refusedTo(at(10 * MINUTE_MS + 1))).to.have.members(names);
    expect(refusedTo(at(10 * MINUTE_MS))).to.deep.equal([]);
    expect(refusedTo(at(-MINUTE_MS))).to.deep.equal([]);
    expect(refusedTo(owner())).to.deep.equal([]);
  });

  it('are all but a few where the account requires a second factor and the person has none', () => {
    const open = routes.filter(([, traits]) => traits.withoutSecondFactor).map(([name]) => name);
    expect(open).to.have.members([
      ...['GetAccount', 'SwitchAccount', 'ListOwnAccounts', 'SignOut', 'ListSessions', 'EndSession'],
      ...['ListSecondFactors', 'CreateSecondFactor', 'ConfirmSecondFactor', 'DeleteSecondFactor', 'RenewRecoveryCodes'],
      'ConfirmSession',
    ]);
    const refused = refusedTo(owner({ lacksSecondFactor: true }));
    expect(new Set([...refused, ...open])).to.deep.equal(new Set(routes.map(([name]) => name)));
    expect(refused.filter((name) => open.includes(name))).to.deep.equal([]);
  });
});
