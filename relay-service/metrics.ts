import { Counter, Gauge, type Registry } from 'prom-client';
import type { Rule } from './policy/rule.js';

/** What an operator watches of the relay. */
export interface RelayMetrics {
  opened(): void;
  closed(traffic: { toClientBytes: number; toPhoneBytes: number }): void;
  refused(rule: Rule): void;
}

export function relayMetrics(registry: Registry, enabled: () => number): RelayMetrics {
  const registers = [registry];
  new Gauge({
    name: 'relay_enabled',
    help: 'Relays that this instance listens for',
    registers,
    collect() {
      this.set(enabled());
    },
  });
  const sessions = new Gauge({ name: 'relay_sessions', help: 'ADB connections now', registers });
  const bytes = new Counter({
    name: 'relay_bytes_total',
    help: 'Bytes relayed, counted when a connection closes',
    labelNames: ['to'],
    registers,
  });
  const refusals = new Counter({
    name: 'relay_refusals_total',
    help: 'Connections, commands and transfers refused',
    labelNames: ['rule'],
    registers,
  });
  return {
    opened: () => sessions.inc(),
    closed: ({ toClientBytes, toPhoneBytes }) => {
      sessions.dec();
      bytes.inc({ to: 'client' }, toClientBytes);
      bytes.inc({ to: 'phone' }, toPhoneBytes);
    },
    refused: (rule) => refusals.inc({ rule }),
  };
}
