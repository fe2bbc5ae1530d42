import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import type { DescService } from '@bufbuild/protobuf';
import { Health, HealthCheckResponse_ServingStatus as Status } from '../../proto/gen/grpc/health/v1/health_pb.js';

/** grpc.health.v1 for every contract of a process and for the process itself (the empty name). */
export class HealthBoard {
  readonly #names: ReadonlySet<string>;
  #status = Status.SERVING;
  readonly #watchers = new Set<() => void>();

  constructor(contracts: readonly DescService[]) {
    this.#names = new Set(['', ...contracts.map(({ typeName }) => typeName)]);
  }

  /** From now on answers NOT_SERVING, so that callers go elsewhere while this process drains. */
  drain(): void {
    this.#status = Status.NOT_SERVING;
    for (const wake of this.#watchers) wake();
  }

  register(router: ConnectRouter): void {
    router.service(Health, {
      check: ({ service }) => {
        if (!this.#names.has(service)) throw new ConnectError(`unknown service ${service}`, Code.NotFound);
        return { status: this.#status };
      },
      list: () => ({
        statuses: Object.fromEntries([...this.#names].map((name) => [name, { status: this.#status }])),
      }),
      watch: ({ service }, { signal }) => this.#watch(service, signal),
    });
  }

  async *#watch(service: string, signal: AbortSignal) {
    for (let told: Status | undefined; !signal.aborted;) {
      const status = this.#names.has(service) ? this.#status : Status.SERVICE_UNKNOWN;
      if (status !== told) yield { status };
      told = status;
      // Asked again after each wake, so a change while the line above was being sent is not missed.
      if (status === (this.#names.has(service) ? this.#status : Status.SERVICE_UNKNOWN)) await this.#woken(signal);
    }
  }

  #woken(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#watchers.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#watchers.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
