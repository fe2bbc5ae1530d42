import type { ImageBasedModel } from '../../phone/image-based/model.js';
import type { DriverConfig } from '../../device-service/devices/phones/open-drivers.js';
import { type Finding, fail, type Machine, ok, skipped, warn } from './finding.js';

/** Checks the engine of phones in containers, and the images of their models. */
export async function checkEngine(
  { kinds, container }: Pick<DriverConfig, 'kinds' | 'container'>,
  models: readonly ImageBasedModel[],
  machine: Machine,
): Promise<Finding[]> {
  if (!kinds.includes('container')) return [skipped('engine', 'PHONE_DRIVER has no "container"')];
  const { socketPath } = container;
  const ask = (path: string): ReturnType<Machine['ask']> =>
    machine.ask({ url: `http://engine/v1.41${path}`, socketPath });
  const ping = await ask('/_ping');
  if (ping?.status !== 200) {
    const next = 'Start it (systemctl enable --now docker, or podman.socket), or set DOCKER_HOST to its socket.';
    return [fail('engine', `nothing responds at unix://${socketPath}`, next)];
  }
  const images = [...new Set(models.flatMap((model) => (model.driver === 'container' ? [model.image] : [])))];
  const found = await Promise.all(
    images.map(async (image): Promise<Finding> => {
      const there = await ask(`/images/${encodeURIComponent(image)}/json`);
      if (there?.status === 200) return ok('image', `${image} is there`);
      const next = `Pull it now, so that the first phone does not wait: docker pull ${image} (or podman pull).`;
      return warn('image', `${image} is not on this host`, next);
    }),
  );
  return [ok('engine', `it responds at unix://${socketPath}`), ...found];
}
