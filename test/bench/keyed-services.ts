import { RATES } from '../../gateway/limits.js';
import type { PanelClient } from '../access/people.js';
import { signUp } from '../ops/people-of.js';
import { type SeparateServices, startSeparateServices } from '../ops/separate-services.js';
import { RestClient } from '../rest-client.js';
import { askAgain } from './ask-again.js';

/** Services as processes, with the API of an account, and as many keys of the account as a measurement needs. */
export interface KeyedServices {
  services: SeparateServices;
  api: RestClient;
  panel: PanelClient;
  /** Makes keys, so that the load of a measurement is spread and no rate limit is met. Revoke them after it. */
  keys: (count: number) => Promise<{ clients: RestClient[]; revoke: () => Promise<void> }>;
  close: () => Promise<void>;
}

/** Starts them. Phones cost nothing, and boot in 50 ms. */
export async function startKeyedServices(): Promise<KeyedServices> {
  const services = await startSeparateServices({
    BILLING: 'off',
    SIMULATED_GRACE_MS: '60000',
    KEY_REQUESTS_PER_MINUTE: String(RATES.key),
    DEVICE_REQUESTS_PER_MINUTE: String(RATES.device),
  });
  const { api, panel } = await signUp(services.edgeUrl);
  const make = async () => (await askAgain(panel, 'POST', '/v1/keys', KEY)).key as { id: string; key: string };
  return {
    ...{ services, api, panel },
    keys: async (count) => {
      const made = await Promise.all(Array.from({ length: count }, make));
      return {
        clients: made.map(({ key }) => new RestClient(services.edgeUrl, key)),
        revoke: async () => {
          await Promise.all(made.map(({ id }) => askAgain(panel, 'DELETE', `/v1/keys/${id}`)));
        },
      };
    },
    close: () => services.close(),
  };
}

const KEY = { name: 'bench', scope: 'control', devices: ['*'] };
