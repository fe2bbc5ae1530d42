import { Code, ConnectError, type ConnectRouter, createClient, type Transport } from '@connectrpc/connect';
import type { DescService } from '@bufbuild/protobuf';
import { Health, HealthCheckResponse_ServingStatus as Status } from '../../proto/gen/grpc/health/v1/health_pb.js';
import { WakeSignal } from '../async/wake-signal.js';
import type { Check, Readiness } from '../ops/readiness.js';

/** Serves grpc.health.v1 for a listener's contracts, and for the process by the empty name. All of them serve while the process is ready. */
export class HealthBoard {
  readonly #names: ReadonlySet<string>;
  readonly #readiness: Readiness;

  constructor(contracts: readonly DescService[], readiness: Readiness) {
    this.#names = new Set(['', ...contracts.map(({ typeName }) => typeName)]);
    this.#readiness = readiness;
  }

  register(router: ConnectRouter): void {
    router.service(Health, {
      check: async ({ service }) => {
        if (!this.#names.has(service)) throw new ConnectError(`unknown service ${service}`, Code.NotFound);
        return { status: await this.#status() };
      },
      list: async () => {
        const status = await this.#status();
        return { statuses: Object.fromEntries([...this.#names].map((name) => [name, { status }])) };
      },
      watch: ({ service }, { signal }) => this.#watch(service, signal),
    });
  }

  async *#watch(service: string, signal: AbortSignal) {
    const news = new WakeSignal();
    const unwatch = this.#readiness.watch(() => news.wake());
    // The `finally` is not enough: when a stream is cut while it sends a message, this generator may never be resumed.
    signal.addEventListener('abort', unwatch, { once: true });
    try {
      for (let sent: Status | undefined; !signal.aborted;) {
        const status = this.#names.has(service) ? await this.#status() : Status.SERVICE_UNKNOWN;
        if (status !== sent) yield { status };
        sent = status;
        await news.wait({ signal });
      }
    } finally {
      unwatch();
    }
  }

  async #status(): Promise<Status> {
    return (await this.#readiness.report()).ready ? Status.SERVING : Status.NOT_SERVING;
  }
}

/** Whether the service at the other end reports that it serves. */
export function servingAt(transport: Transport): Check {
  const health = createClient(Health, transport);
  return async (signal) => {
    const { status } = await health.check({}, { signal });
    if (status !== Status.SERVING) throw new Error(`its health is ${Status[status]}`);
  };
}
