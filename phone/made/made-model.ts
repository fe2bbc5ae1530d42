import type { PhoneModel } from '../driver.js';

/** A model of MODELS_FILE: phones that the service makes from an image of Android. */
export type MadeModel = ContainerModel | EmulatorModel | KubernetesModel;

interface Made extends PhoneModel {
  /** Processors that a phone may use at most. */
  cpus: number;
  /** The largest size of a phone's data, MiB. Checked where the engine can bound it, else only shown. */
  diskMb: number;
  /** A boot that takes longer has failed, s. */
  bootLimitS: number;
}

/** A phone in a container, such as redroid, wherever that container runs. */
interface Contained extends Made {
  /** Reference of an OCI image, for example `redroid/redroid:14.0.0-latest`. */
  image: string;
  /** Where its adbd listens, in the phone's own network. */
  adbPort: number;
  /** redroid's word for `androidboot.redroid_gpu_mode`. Absent: the image's own choice. */
  gpu?: 'auto' | 'guest' | 'host';
  /** Words after those of the service on the command line of its init, for example `androidboot.use_memfd=1`. */
  args: string[];
  /** Whether it gets every capability and device of the host. */
  privileged: boolean;
  /** Capabilities of one that is not privileged, beside the engine's own choice. */
  capabilities: string[];
}

/** A phone in a container of Docker or Podman on the host. */
export interface ContainerModel extends Contained {
  driver: 'container';
  /** Whether its Android needs binder in the kernel of the host. */
  binder: boolean;
  /** Processes and threads that it may have. */
  pids: number;
}

/** A phone in the emulator of the Android SDK. */
export interface EmulatorModel extends Made {
  driver: 'emulator';
  /** A package of the SDK below ANDROID_HOME, for example `system-images;android-34;google_apis;x86_64`. */
  systemImage: string;
  /** The emulator's own word for `-gpu`. */
  gpu: string;
  /** Words after those of the service on its command line. */
  args: string[];
}

/** A phone in a pod of a Kubernetes cluster. */
export interface KubernetesModel extends Contained {
  driver: 'kubernetes';
  /** Labels of the nodes that have what its Android needs, such as binder. */
  nodeSelector: Readonly<Record<string, string>>;
  /** Taints of nodes that it tolerates. */
  tolerations: readonly Toleration[];
  /** Further resources that a phone takes, by their names in Kubernetes, such as `devices.kubevirt.io/kvm`. */
  resources: Readonly<Record<string, string>>;
}

/** As Kubernetes has it. */
export interface Toleration {
  key?: string;
  operator?: 'Exists' | 'Equal';
  value?: string;
  effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}
