import { Counter, Gauge, type Registry } from 'prom-client';
import type { Rule } from './policy/rule.js';

/** Metrics of the relay service. */
export interface RelayMetrics {
  opened(session: WithTraffic): void;
  closed(session: WithTraffic): void;
  refused(rule: Rule): void;
}

/** A session with the bytes it has sent so far. */
interface WithTraffic {
  readonly traffic: { toClientBytes: number; toPhoneBytes: number };
}

export function relayMetrics(registry: Registry, enabled: () => number): RelayMetrics {
  const registers = [registry];
  const live = new Set<WithTraffic>();
  /** Bytes sent by sessions that have closed. */
  const sent = { toClientBytes: 0, toPhoneBytes: 0 };
  const add = ({ traffic }: WithTraffic, sum: typeof sent): void => {
    sum.toClientBytes += traffic.toClientBytes;
    sum.toPhoneBytes += traffic.toPhoneBytes;
  };
  new Gauge({
    name: 'relay_enabled',
    help: 'Relays that this instance listens for',
    registers,
    collect() {
      this.set(enabled());
    },
  });
  new Gauge({
    name: 'relay_sessions',
    help: 'ADB connections now',
    registers,
    collect() {
      this.set(live.size);
    },
  });
  const accepted = new Counter({ name: 'relay_sessions_total', help: 'ADB connections accepted', registers });
  new Counter({
    name: 'relay_bytes_total',
    help: 'Bytes relayed',
    labelNames: ['to'],
    registers,
    collect() {
      const sum = { ...sent };
      for (const session of live) add(session, sum);
      this.reset();
      this.inc({ to: 'client' }, sum.toClientBytes);
      this.inc({ to: 'phone' }, sum.toPhoneBytes);
    },
  });
  const refusals = new Counter({
    name: 'relay_refusals_total',
    help: 'Connections, commands and transfers refused',
    labelNames: ['rule'],
    registers,
  });
  return {
    opened: (session) => {
      live.add(session);
      accepted.inc();
    },
    closed: (session) => {
      if (live.delete(session)) add(session, sent);
    },
    refused: (rule) => refusals.inc({ rule }),
  };
}
