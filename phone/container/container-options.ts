import type { ContainerCreateOptions } from 'dockerode';
import type { ContainerModel } from '../image-based/model.js';
import type { ImageBasedPhone } from '../image-based/phone-folders.js';

const MIB = 1024 * 1024;

/** Labels of all that belongs to a phone; `owner` differs between services on one engine. */
export const LABELS = { owner: 'cloudphone.owner', phone: 'cloudphone.phone', device: 'cloudphone.device' } as const;

/** The name of a phone's container, and of its network. */
export function nameOf(phoneId: string): string {
  return `cloudphone-${phoneId}`;
}

export function labelsOf(
  { phoneId, name }: Pick<ImageBasedPhone, 'phoneId' | 'name'>,
  owner: string,
): Record<string, string> {
  return { [LABELS.owner]: owner, [LABELS.phone]: phoneId, [LABELS.device]: name };
}

/**
 * Returns the options of a phone's container. It has redroid's arguments for init, the phone's data at /data, a network of its own, and the
 * limits of its model. The engine never restarts it: the service decides that, and must see each end.
 *
 * `image` is the engine's id of the image.
 */
export function containerOptions(
  phone: ImageBasedPhone,
  model: ContainerModel,
  { image, owner }: { image: string; owner: string },
): ContainerCreateOptions {
  const { width, height, density } = model.screen;
  return {
    name: nameOf(phone.phoneId),
    Image: image,
    Labels: labelsOf(phone, owner),
    Cmd: [
      `androidboot.redroid_width=${width}`,
      `androidboot.redroid_height=${height}`,
      `androidboot.redroid_dpi=${density}`,
      `androidboot.serialno=${phone.serial}`,
      ...(model.gpu === undefined ? [] : [`androidboot.redroid_gpu_mode=${model.gpu}`]),
      ...model.args,
    ],
    // With a terminal, the output is one stream without frames, so that its last lines can be shown to people.
    Tty: true,
    HostConfig: {
      Binds: [`${phone.data}:/data`],
      NetworkMode: nameOf(phone.phoneId),
      Memory: model.memoryMb * MIB,
      MemorySwap: model.memoryMb * MIB,
      NanoCpus: Math.round(model.cpus * 1e9),
      PidsLimit: model.pids,
      Privileged: model.privileged,
      ...(!model.privileged && { CapAdd: model.capabilities }),
      RestartPolicy: { Name: '' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m' } },
    },
  };
}
