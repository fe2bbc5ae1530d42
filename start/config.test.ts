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

  it('close sign-up where strangers reach it without https, unless it is set', () => {
    const isOpen = (environment: NodeJS.ProcessEnv) => readStartConfig(environment, false).signUpOpen;
    const MESH_TOKEN = 'a-token-of-32-characters-for-tests';
    expect(isOpen({})).to.equal(true);
    expect(isOpen({ HOST: '0.0.0.0', MESH_TOKEN })).to.equal(false);
    expect(isOpen({ HOST: '0.0.0.0', MESH_TOKEN, PUBLIC_URL: 'http://phones.example.com' })).to.equal(false);
    expect(isOpen({ HOST: '0.0.0.0', MESH_TOKEN, PUBLIC_URL: 'https://phones.example.com' })).to.equal(true);
    expect(isOpen({ HOST: '0.0.0.0', MESH_TOKEN, SIGNUP: 'open' })).to.equal(true);
    expect(isOpen({ SIGNUP: 'closed' })).to.equal(false);
  });

  it('want a MESH_TOKEN that cannot be guessed, and do not repeat it', () => {
    const [fault, ...others] = faultsOf({ MESH_TOKEN: 'short-and-secret' });
    expect(others).to.deep.equal([]);
    expect(fault).to.contain('MESH_TOKEN').and.to.contain('32').and.not.to.contain('short-and-secret');
  });

  it('let helpers be on phones unless the operator refuses', () => {
    expect(readStartConfig({}, false).residentHelpers).to.equal(true);
    expect(readStartConfig({ RESIDENT_HELPERS: 'off' }, false).residentHelpers).to.equal(false);
    expect(faultsOf({ RESIDENT_HELPERS: 'perhaps' }).join()).to.contain('RESIDENT_HELPERS');
  });

  it('of image-based phones name the models, and of emulators the SDK', () => {
    expect(faultsOf({ PHONE_DRIVER: 'emulator' }).map((line) => line.split(' ')[0])).to.deep.equal([
      'MODELS_FILE',
      'ANDROID_HOME',
    ]);
    const environment = { PHONE_DRIVER: 'emulator', MODELS_FILE: 'models.json', ANDROID_HOME: '/sdk' };
    expect(readStartConfig(environment, false).driver).to.include({ androidHome: '/sdk' });
  });

  it('of phones in pods name the models, the image of the gate, and the cluster unless the service runs in it', () => {
    expect(faultsOf({ PHONE_DRIVER: 'kubernetes' }).map((line) => line.split(' ')[0])).to.deep.equal([
      ...['MODELS_FILE', 'KUBECONFIG', 'KUBERNETES_GATE_IMAGE'],
    ]);
    const environment = { PHONE_DRIVER: 'kubernetes', MODELS_FILE: 'models.json', KUBERNETES_GATE_IMAGE: 'gate' };
    const { driver } = readStartConfig({ ...environment, KUBERNETES_SERVICE_HOST: '10.0.0.1' }, false);
    expect(driver.kubernetes).to.deep.equal({
      ...{ access: { kubeconfig: undefined, namespace: 'cloudphone' }, gateImage: 'gate', storageClass: undefined },
    });
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
