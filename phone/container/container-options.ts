import type { ContainerCreateOptions } from 'dockerode';
import type { ContainerModel } from '../made/made-model.js';
import type { MadePhone } from '../made/phone-folders.js';

const MIB = 1024 * 1024;

/** Labels of all that belongs to a phone; `owner` differs between services on one engine. */
export const LABELS = { owner: 'cloudphone.owner', phone: 'cloudphone.phone', device: 'cloudphone.device' } as const;

/** The name of a phone's container, and of its network. */
export function nameOf(phoneId: string): string {
  return `cloudphone-${phoneId}`;
}

export function labelsOf(
  { phoneId, name }: Pick<MadePhone, 'phoneId' | 'name'>,
  owner: string,
): Record<string, string> {
  return { [LABELS.owner]: owner, [LABELS.phone]: phoneId, [LABELS.device]: name };
}

/**
 * A phone's container: redroid's words for its init, the phone's data at /data, its own network, and the limits of its model. It is never
 * restarted by the engine: the service decides that, and must see each end.
 */
export function containerOptions(phone: MadePhone, model: ContainerModel, owner: string): ContainerCreateOptions {
  const { width, height, density } = model.screen;
  return {
    name: nameOf(phone.phoneId),
    Image: phone.digest,
    Labels: labelsOf(phone, owner),
    Cmd: [
      `androidboot.redroid_width=${width}`,
      `androidboot.redroid_height=${height}`,
      `androidboot.redroid_dpi=${density}`,
      `androidboot.serialno=${phone.serial}`,
      ...(model.gpu === undefined ? [] : [`androidboot.redroid_gpu_mode=${model.gpu}`]),
      ...model.args,
    ],
    // As one stream, without frames: its last lines are read for people.
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
