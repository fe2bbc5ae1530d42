import { expect } from 'chai';
import { readStartConfig } from './config.js';

describe('the settings of npm start', () => {
  it('are checked all together, before anything starts, each fault once and by name', () => {
    const environment = {
      HOST: 'nowhere',
      PORT: '99999',
      MONGODB_URL: 'user:secret@database',
      SIMULATED_BOOT_MS: 'x',
      SIMULATED_PROCESSES: '0',
      PHONE_DRIVER: 'simulated',
      SECRETS_KEY: 'short',
    };
    const faults = faultsOf(environment);
    for (const name of ['HOST', 'PORT', 'MONGODB_URL', 'SIMULATED_BOOT_MS', 'SIMULATED_PROCESSES', 'SECRETS_KEY']) {
      expect(
        faults.filter((line) => line.startsWith(name)),
        name,
      ).to.have.length(1);
    }
    expect(faults.join()).not.to.contain('secret').and.not.to.contain('short');
  });

  it('of simulated phones are not checked where there are none', () => {
    const environment = { PHONE_DRIVER: 'attached', PHONES_FILE: 'phones.json', SIMULATED_BOOT_MS: 'x' };
    expect(readStartConfig(environment, false).driver.kinds).to.deep.equal(['attached']);
  });
});

function faultsOf(environment: NodeJS.ProcessEnv): string[] {
  try {
    readStartConfig(environment, false);
    return [];
  } catch (error) {
    const [, ...faults] = (error as Error).message.split('\n  ');
    return faults;
  }
}
