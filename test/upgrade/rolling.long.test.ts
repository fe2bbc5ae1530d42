import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Release, releaseBefore } from '../../testing/release-before.js';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { cookieOf, PanelClient } from '../access/people.js';
import { EMAIL, PASSWORD } from '../ops/people-of.js';
import { RestClient } from '../rest-client.js';
import { referenceOf, THIS_RELEASE } from './installation-of.js';
import { type Part, type RollingServices, startRollingServices } from './rolling-services.js';
import { makeTypicalCalls } from './typical-calls.js';

/** The order of docs/upgrades.md, and that of an installer which knows none. What is in one list is replaced before the next calls. */
const ORDERS: Record<string, readonly (readonly Part[])[]> = {
  'in the order of the guide': [['device'], ['webhook'], ['screen'], ['relay'], ['gateway-1'], ['gateway-2']],
  'with the gateways first': [['gateway-1'], ['gateway-2'], ['relay', 'screen', 'webhook'], ['device']],
};

for (const [name, order] of Object.entries(ORDERS)) {
  describe(`an upgrade of services apart, ${name}`, function () {
    // The first test of a machine builds the release before.
    this.timeout(900_000);
    let services: RollingServices;
    let key: string;
    let calls = 0;

    before(async function () {
      const old = await releaseBefore();
      if (typeof old === 'string') skip(this, old);
      services = await startRollingServices(old);
      key = await signUp(services.urlOf('gateway-1'), old);
      const env = { ...process.env, DEVICE_SERVICE_URL: services.urlOf('device') };
      const words = [join(old.root, 'dist/admin/main.js'), 'account', 'credit', '--email', EMAIL, '--amount', '50'];
      await promisify(execFile)(process.execPath, words, { env });
      await client('gateway-1').createPhone({ name: 'stays' });
    });
    after(() => (services as RollingServices | undefined)?.close());

    const client = (gateway: Part): RestClient =>
      new RestClient(services.urlOf(gateway), key, referenceOf(services.releases.get(gateway)!));

    for (const parts of order) {
      it(`serves typical calls by both gateways once ${parts.join(', ')} is replaced`, async () => {
        for (const part of parts) await services.replace(part, THIS_RELEASE);
        const gateways = ['gateway-1', 'gateway-2'] as const;
        await Promise.all(gateways.map((gateway) => makeTypicalCalls(client(gateway), `calls-${calls++}`)));
        // Found again by the new device service, or started again where that speaks another protocol.
        await until(async () => (await client('gateway-2').get('/v1/devices/stays')).body.device.state === 'running');
        expect((await client('gateway-1').get('/v1/devices/stays/screenshot')).status).to.equal(200);
      });
    }
  });
}

/** Makes an account and a key, as a person does by the panel. */
async function signUp(url: string, release: Release): Promise<string> {
  const nobody = new RestClient(url, undefined, referenceOf(release));
  await nobody.post('/v1/account', { email: EMAIL, password: PASSWORD });
  const signedIn = await nobody.post('/v1/session', { email: EMAIL, password: PASSWORD });
  return new PanelClient(url, cookieOf(signedIn), referenceOf(release)).createKey();
}
