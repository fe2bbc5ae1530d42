import { expect } from 'chai';
import { readSimulatorConfig } from '../host/config.js';
import { processEnvironment } from './process-environment.js';

describe('the environment of a simulator process', () => {
  it('has none of the secrets of the service', () => {
    const secrets = {
      ...{ SECRETS_KEY: 'a', STRIPE_SECRET_KEY: 'b', STRIPE_WEBHOOK_SECRET: 'c', MESH_TOKEN: 'd', MONGODB_URL: 'e' },
      ...{ AWS_SECRET_ACCESS_KEY: 'f', GRPC_TLS_KEY: 'g' },
    };
    expect(processEnvironment({ ...secrets, PATH: '/bin', LOG_LEVEL: 'warn' })).to.deep.equal({
      PATH: '/bin',
      LOG_LEVEL: 'warn',
    });
  });

  it('has every setting that the process reads', () => {
    const names = new Set<string>();
    const recording = new Proxy<Record<string, string>>(
      {},
      {
        get: (_, name) => void names.add(String(name)),
      },
    );
    readSimulatorConfig(recording);
    expect(names).to.include('SIMULATED_BOOT_MS');
    const all = Object.fromEntries([...names].map((name) => [name, 'x']));
    expect(processEnvironment(all)).to.deep.equal(all);
  });
});
