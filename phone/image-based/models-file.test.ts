import { expect } from 'chai';
import { modelsParser } from './models-file.js';

const SCREEN = { width: 720, height: 1280, density: 320 };
const CONTAINER = {
  model: 'redroid-14',
  driver: 'container',
  android: '14',
  image: 'redroid/redroid:14.0.0-latest',
  screen: SCREEN,
};
const EMULATOR = {
  ...{ model: 'emulator-34', driver: 'emulator', android: '14', screen: SCREEN },
  system_image: 'system-images;android-34;google_apis;x86_64',
};

const KUBERNETES = { ...CONTAINER, model: 'pod-14', driver: 'kubernetes' };

describe('MODELS_FILE', () => {
  const parse = modelsParser();
  const faultsOf = (...models: object[]): string[] => parse(JSON.stringify({ models })).faults;

  it('has a default for all that is not named', () => {
    const { value, faults } = parse(JSON.stringify({ models: [CONTAINER, EMULATOR] }));
    expect(faults).to.deep.equal([]);
    const limits = { memoryMb: 2560, cpus: 2, diskMb: 8192, bootLimitS: 120 };
    expect(value).to.deep.equal([
      {
        ...{ model: 'redroid-14', name: 'redroid-14', android: ['14'], screen: SCREEN, ...limits, driver: 'container' },
        image: 'redroid/redroid:14.0.0-latest',
        ...{ adbPort: 5555, args: [], privileged: true, capabilities: [], binder: true, pids: 8192 },
      },
      {
        ...{
          model: 'emulator-34',
          name: 'emulator-34',
          android: ['14'],
          screen: SCREEN,
          ...limits,
          driver: 'emulator',
        },
        ...{ systemImage: EMULATOR.system_image, gpu: 'swiftshader_indirect', args: [] },
      },
    ]);
  });

  it('has the nodes and the resources of pods', () => {
    const more = {
      node_selector: { phones: 'binder' },
      tolerations: [{ key: 'phones', operator: 'Exists' }],
      resources: { 'devices.kubevirt.io/kvm': '1' },
    };
    const { value, faults } = parse(JSON.stringify({ models: [KUBERNETES, { ...KUBERNETES, ...more, model: 'kvm' }] }));
    expect(faults).to.deep.equal([]);
    expect(value[0]).to.deep.equal({
      ...{ model: 'pod-14', name: 'pod-14', android: ['14'], screen: SCREEN, driver: 'kubernetes' },
      ...{ memoryMb: 2560, cpus: 2, diskMb: 8192, bootLimitS: 120, image: CONTAINER.image },
      ...{
        adbPort: 5555,
        args: [],
        privileged: true,
        capabilities: [],
        nodeSelector: {},
        tolerations: [],
        resources: {},
      },
    });
    const { node_selector: nodeSelector, tolerations, resources } = more;
    expect(value[1]).to.deep.include({ nodeSelector, tolerations, resources });
    expect(faultsOf({ ...KUBERNETES, binder: true, node_selector: { a: 1 } })).to.deep.equal([
      ...['models[0].binder is not a field', 'models[0].node_selector.a must be string'],
    ]);
  });

  it('has the words of an engine, and the port of ADB', () => {
    const { value } = parse(
      JSON.stringify({
        models: [
          { ...CONTAINER, gpu: 'guest', args: ['ro.a=b'], adb_port: 5556 },
          { ...EMULATOR, gpu: 'host', args: ['-cores', '2'] },
        ],
      }),
    );
    expect(value[0]).to.include({ gpu: 'guest', adbPort: 5556 });
    expect(value[1]).to.include({ gpu: 'host' });
    expect(value.map(({ args }) => args)).to.deep.equal([['ro.a=b'], ['-cores', '2']]);
  });

  it('reports all faults together, each with its field', () => {
    const faults = faultsOf(
      { ...CONTAINER, memory_mb: 1, color: 'red', args: ['rm -rf'], adb_port: 0, gpu: 'fast' },
      { ...EMULATOR, image: 'x', screen: { width: 720, height: 1280 } },
      { ...CONTAINER, model: 'third', driver: 'cuttlefish' },
      { driver: 'container' },
    );
    expect(faults.join('\n')).to.contain('models[0].memory_mb must be >= 128');
    expect(faults).to.include.members([
      'models[0].color is not a field',
      'models[1].image is not a field',
      'models[1].screen.density is missing',
      'models[2].driver is not one of container, emulator, kubernetes',
      'models[3].model is missing',
      'models[3].image is missing',
      'models[0].adb_port must be >= 1',
      'models[0].gpu is not one of auto, guest, host',
    ]);
    expect(faults.some((fault) => fault.startsWith('models[0].args[0] '))).to.equal(true);
  });

  it('has each model once, whatever its driver', () => {
    expect(faultsOf(CONTAINER, { ...EMULATOR, model: 'redroid-14' })).to.deep.equal([
      'models[1].model is "redroid-14", like models[0]',
    ]);
  });

  it('is JSON of one object', () => {
    expect(parse('{').faults[0]).to.match(/^it is not JSON: /);
    expect(parse('[]').faults).to.deep.equal(['it must be object']);
    expect(parse('{"phones": []}').faults).to.deep.equal(['models is missing', 'phones is not a field']);
  });

  it('that is hostile is refused with a bounded number of faults', () => {
    const models = Array.from({ length: 1_000 }, () => ({ ...CONTAINER, a: 1, b: 2, memory_mb: 'x' }));
    expect(faultsOf(...models).length).to.be.at.most(50);
  });
});
