import { expect } from 'chai';
import { Registry } from 'prom-client';
import { silentLog } from '../../../kit/log/log.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import type { HostDriver } from '../../store/hosts.js';
import { hostMetrics } from './host-metrics.js';

describe('the metrics of a host', () => {
  let drivers: HostDriver[];
  let metrics: Registry;
  let freeBytes: number | undefined;

  beforeEach(() => {
    metrics = new Registry();
    freeBytes = 5_000;
    drivers = [];
    const measure = async (): Promise<{ freeBytes: number }> => {
      if (freeBytes === undefined) throw new Error('no such file system');
      return { freeBytes };
    };
    const folders = [{ name: 'DATA_DIR', measure }];
    hostMetrics(metrics, 'here', folders, () => drivers, { clock: new FakeClock(), log: silentLog });
  });

  function record(...found: Partial<HostDriver>[]): void {
    const rest = { kind: '', freeMemoryMb: 0, freeDiskMb: 0, create: true, exit: true, models: [] };
    drivers = found.map((driver) => ({ ...rest, ...driver }));
  }

  async function lines(): Promise<string[]> {
    return (await metrics.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  }

  it('are its room by driver and file system, its engines, and models with the reason why they are not offered', async () => {
    const disks = [
      { name: 'DATA_DIR', freeDiskMb: 3 },
      { name: 'the container engine (/images)', freeDiskMb: 7 },
    ];
    const problems = ['the engine is odd', 'model "redroid-14" is not offered: the program nft\n is missing'];
    record(
      { kind: 'container', freeMemoryMb: 2, freeDiskMb: 3, disks, withheld: ['redroid-14', 'other'], problems },
      { kind: 'attached', freeMemoryMb: Number.MAX_SAFE_INTEGER, freeDiskMb: Number.MAX_SAFE_INTEGER },
    );
    const container = 'host="here",driver="container"';
    expect(await lines()).to.include.members([
      'host_info{host="here"} 1',
      'host_filesystem_free_bytes{host="here",filesystem="DATA_DIR"} 5000',
      'host_filesystem_free_bytes{host="here",filesystem="the container engine (/images)"} 7340032',
      `host_free_memory_bytes{${container}} 2097152`,
      `host_free_disk_bytes{${container}} 3145728`,
      `engine_reachable{${container}} 1`,
      `models_offered{${container}} 0`,
      `model_not_offered{${container},model="redroid-14",reason="model \\"redroid-14\\" is not offered: the program nft is missing"} 1`,
      `model_not_offered{${container},model="other",reason="the engine is odd"} 1`,
    ]);
    expect((await lines()).join('\n')).not.to.match(/host_free_\w+\{host="here",driver="attached"/);
  });

  it('follow the record, and leave out what cannot be measured', async () => {
    record({ kind: 'container', freeMemoryMb: 0, freeDiskMb: 0, engineAway: true, withheld: ['a'] });
    freeBytes = undefined;
    const text = (await lines()).join('\n');
    expect(text).to.contain('engine_reachable{host="here",driver="container"} 0');
    expect(text).not.to.contain('host_filesystem_free_bytes');
    expect(text).to.contain('measurements_failed_total{measurement="filesystems"} ');
    record({ kind: 'container', freeMemoryMb: 0, freeDiskMb: 0 });
    expect((await lines()).join('\n')).not.to.contain('model_not_offered');
  });

  it('are bounded, however many models are withheld and however long their reasons are', async () => {
    const withheld = Array.from({ length: 1_000 }, (_, at) => `m${at}`);
    record({ kind: 'container', freeMemoryMb: 0, freeDiskMb: 0, withheld, problems: ['x'.repeat(2_000)] });
    const found = (await lines()).filter((line) => line.startsWith('model_not_offered'));
    expect(found).to.have.length(100);
    for (const line of found) expect(line.length).to.be.lessThan(300);
  });
});
