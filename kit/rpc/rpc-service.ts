import type { DescService } from '@bufbuild/protobuf';
import type { ConnectRouter, Interceptor, ServiceImpl } from '@connectrpc/connect';
import type { Admit } from './admit-call.js';
import type { RecordCall } from './call-log.js';
import type { IsOurs } from './mesh.js';

/** The rpcs of a service. They are the same whether it is reached over a socket or inside one process. */
export interface RpcService {
  /** For people, in error texts: "the screen service". */
  name: string;
  /** Its contracts; health and reflection are added where it listens. */
  contracts: DescService[];
  /** Registers the implementation of each contract. */
  routes: (router: ConnectRouter) => void;
  /** Around each rpc, outermost first. */
  interceptors: Interceptor[];
  /** Checks a call by its headers, before its message is read from a socket. Absent: nothing is checked before. */
  admit?: Admit;
  /**
   * Whether a call carries the token of our own services. Such calls are not counted, as those services bound their own callers. Absent: no
   * call carries it.
   */
  showsToken?: IsOurs;
  /** Records a unary rpc that ended before its message was read, so that no interceptor ran. Absent: it is not recorded. */
  recordUnread?: RecordCall;
}

/** A contract with its implementation. */
export interface Implementation {
  contract: DescService;
  register: (router: ConnectRouter) => void;
}

export function implement<S extends DescService>(contract: S, implementation: ServiceImpl<S>): Implementation {
  return { contract, register: (router) => void router.service(contract, implementation) };
}

/** The contracts and routes of a service. */
export function implementing(...implementations: Implementation[]): Pick<RpcService, 'contracts' | 'routes'> {
  return {
    contracts: implementations.map(({ contract }) => contract),
    routes: (router) => {
      for (const { register } of implementations) register(router);
    },
  };
}

/** Largest message that is read, bytes. Connect has no limit of its own; a full-size PNG observation is below 16 MiB. */
export const MAX_READ_BYTES = 32 * 1024 * 1024;

/** Largest request message that a port reads, bytes: it is read before its caller is known. Bodies and events end at 1 MiB. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
