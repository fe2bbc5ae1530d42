import type { PhoneModel } from '../driver.js';

/** A model of MODELS_FILE: phones that the service makes from an image of Android. */
export type ImageBasedModel = ContainerModel | EmulatorModel | KubernetesModel;

interface Made extends PhoneModel {
  /** Processors that a phone may use at most. */
  cpus: number;
  /** The largest size of a phone's data, MiB. Where nothing bounds it, a phone that is larger is stopped. */
  diskMb: number;
  /** How long a boot may take, s. A boot that takes longer has failed. */
  bootLimitS: number;
}

/** A phone in a container, such as redroid, wherever that container runs. */
interface Contained extends Made {
  /** Reference of an OCI image, for example `redroid/redroid:14.0.0-latest`. */
  image: string;
  /** Where its adbd listens, in the phone's own network. */
  adbPort: number;
  /** The value of redroid's `androidboot.redroid_gpu_mode`. Absent: the image decides. */
  gpu?: 'auto' | 'guest' | 'host';
  /** Arguments of the init that follow those of the service, for example `androidboot.use_memfd=1`. */
  args: string[];
  /** Whether the container gets every capability and device of the host. */
  privileged: boolean;
  /** Capabilities of a container that is not privileged, in addition to the engine's defaults. */
  capabilities: string[];
}

/** A phone in a container of Docker or Podman on the host. */
export interface ContainerModel extends Contained {
  driver: 'container';
  /** Whether its Android needs binder in the kernel of the host. */
  binder: boolean;
  /** How many processes and threads the container may have. */
  pids: number;
}

/** A phone in the emulator of the Android SDK. */
export interface EmulatorModel extends Made {
  driver: 'emulator';
  /** A package of the SDK below ANDROID_HOME, for example `system-images;android-34;google_apis;x86_64`. */
  systemImage: string;
  /** The value of the emulator's option `-gpu`. */
  gpu: string;
  /** Arguments of the emulator that follow those of the service. */
  args: string[];
}

/** A phone in a pod of a Kubernetes cluster. */
export interface KubernetesModel extends Contained {
  driver: 'kubernetes';
  /** Labels of the nodes on which the pod may run. Such nodes have what Android needs, for example binder. */
  nodeSelector: Readonly<Record<string, string>>;
  /** Taints of nodes that the pod tolerates. */
  tolerations: readonly Toleration[];
  /** Further resources that a phone takes, by their names in Kubernetes, such as `devices.kubevirt.io/kvm`. */
  resources: Readonly<Record<string, string>>;
}

/** A toleration, with the fields that Kubernetes has. */
export interface Toleration {
  key?: string;
  operator?: 'Exists' | 'Equal';
  value?: string;
  effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}
