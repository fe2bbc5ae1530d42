import type {
  KubernetesObject,
  V1Container,
  V1ContainerState,
  V1ContainerStatus,
  V1Job,
  V1Node,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodCondition,
  V1ResourceQuota,
  V1Toleration,
} from '@kubernetes/client-node';

/** The type of an object as JSON, where times are strings. The library's types are classes, in which times are dates. */
type Plain<T> = T extends Date
  ? string
  : T extends readonly (infer One)[]
    ? Plain<One>[]
    : T extends object
      ? { [Field in keyof T]: Plain<T[Field]> }
      : T;

export type ApiObject = Plain<KubernetesObject>;
export type Container = Plain<V1Container>;
export type ContainerState = Plain<V1ContainerState>;
export type ContainerStatus = Plain<V1ContainerStatus>;
export type Job = Plain<V1Job>;
export type Node = Plain<V1Node>;
export type Claim = Plain<V1PersistentVolumeClaim>;
export type Pod = Plain<V1Pod>;
export type PodCondition = Plain<V1PodCondition>;
export type ResourceQuota = Plain<V1ResourceQuota>;
export type Taint = NonNullable<NonNullable<Node['spec']>['taints']>[number];
export type ApiToleration = Plain<V1Toleration>;
