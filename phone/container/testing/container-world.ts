import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { systemClock } from '../../../kit/async/clock.js';
import { silentLog } from '../../../kit/log/log.js';
import { type ContainerEngine as TestEngine, startEngine } from '../../../testing/container-engine.js';
import { phoneImage } from '../../../testing/container-engine/phone-image.js';
import { PHONE_SUBNETS } from '../../../testing/phone-subnets.js';
import type { PhoneDriver, PhoneEndpoint } from '../../driver.js';
import type { ContainerModel, ImageBasedModel } from '../../image-based/model.js';
import { ImageBasedWorld, openInFolder, STAND_IN } from '../../image-based/testing/image-based-world.js';
import { openContainerDriver } from '../open.js';

/** A container driver on a real engine of its own. Its phones run the stand-in image. */
export class ContainerWorld extends ImageBasedWorld {
  readonly engine: TestEngine;
  /** The model of the image-based phones; takes effect with the next `reopen`. */
  model: ContainerModel;

  private constructor(folder: string, engine: TestEngine, image: string, model: Partial<ContainerModel>) {
    super(folder);
    this.engine = engine;
    this.model = { ...STAND_IN, driver: 'container', image, pids: 500, binder: false, ...model };
  }

  /**
   * Starts an engine and a driver. `model` replaces parts of the default model. `prepare` is called with the folder of the engine. Returns
   * the reason when no engine can run containers here.
   */
  static async start(
    model: Partial<ContainerModel> = {},
    prepare: (folder: string) => Promise<void> = async () => undefined,
  ): Promise<ContainerWorld | string> {
    return openInFolder('containers', async (folder) => {
      await prepare(folder);
      const engine = await startEngine(folder);
      if (typeof engine === 'string') return engine;
      const world = new ContainerWorld(folder, engine, await engine.load(await phoneImage()), model);
      world.driver = await world.open();
      return world;
    });
  }

  protected closeEngine(): Promise<void> {
    return this.engine.close();
  }

  open(directory = join(this.folder, 'data'), owner = 'test'): Promise<PhoneDriver> {
    const models: ImageBasedModel[] = [
      this.model,
      {
        ...{ ...this.model, model: 'no-image', image: 'localhost:1/none:latest' },
        // The API lists models by memory, so this model comes last.
        memoryMb: this.model.memoryMb + 1,
      },
    ];
    return openContainerDriver({
      ...{ socketPath: this.engine.socketPath, pool: PHONE_SUBNETS, owner, directory, boots: pLimit(2) },
      models: { value: models, close: () => undefined },
      connectSocket: (host, port) => connect({ host, port }),
      ...{ clock: systemClock, log: silentLog },
    });
  }

  /** Opens the driver again, as after a crash of the service. The driver holds no state besides its listeners. */
  async reopen(): Promise<void> {
    await this.driver.close();
    this.driver = await this.open();
  }

  /** Returns the host's address in the phone's private network. */
  async gateway(at: PhoneEndpoint): Promise<string> {
    return (await this.shell(at, 'settings get global http_proxy')).split(':')[0] ?? '';
  }

  /**
   * Runs a command as root in the phone's container, as a customer of a privileged phone could. Returns its output, or the text of its
   * failure.
   */
  inside(phoneId: string, command: string): Promise<string> {
    return this.engine.cli('exec', containerOf(phoneId), 'busybox', 'sh', '-c', command).catch(String);
  }

  dataOf(phoneId: string): string {
    return join(this.folder, 'data', 'phones', phoneId, 'data');
  }
}

export function containerOf(phoneId: string): string {
  return `cloudphone-${phoneId}`;
}

/** The entrypoint of the stand-in image. */
export const OLD_ENTRYPOINT = ['/init', 'qemu=1', 'androidboot.hardware=redroid'];
/** The same, for a phone that shows a newer Android. */
export const NEWER_ENTRYPOINT = [...OLD_ENTRYPOINT, 'ro.build.version.release=15'];
/** An entrypoint that spoils the data of its phone, and ends before it has booted. */
export const SPOILING_ENTRYPOINT = ['/bin/sh', '-c', 'echo spoiled > /data/spoiled; rm -rf /data/media; exit 1'];

/** Builds an image from another one, with another entrypoint. */
export async function buildImage(
  engine: TestEngine,
  folder: string,
  { from, to, entrypoint }: { from: string; to: string; entrypoint: readonly string[] },
): Promise<void> {
  const file = join(folder, 'Containerfile');
  await writeFile(file, `FROM ${from}\nENTRYPOINT ${JSON.stringify(entrypoint)}\n`);
  await engine.cli('build', '--tag', to, '--file', file, folder);
}
