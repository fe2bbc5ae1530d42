import type { Transport } from '@connectrpc/connect';

/**
 * The way to a service that is not there yet, for two services of one process that call each other: one of them must be built
 * first. Calls wait until the way is known.
 */
export function lateTransport(): { transport: Transport; arrive: (transport: Transport) => void } {
  let arrive: (transport: Transport) => void = () => undefined;
  const arrival = new Promise<Transport>((resolve) => (arrive = resolve));
  return {
    transport: {
      unary: async (...call) => (await arrival).unary(...call),
      stream: async (...call) => (await arrival).stream(...call),
    },
    arrive,
  };
}
